// The driver: runs a step and writes its decision. No other file moves a link during provisioning.

import { type Actor, worker } from '../../domain/audit/audit.ts'
import { type AuditEntry, aboutLink, linkEntry } from '../../domain/audit/audit-entry.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isProvisioning, type Link, reportedCause } from '../../domain/link.ts'
import { AliasTaken } from '../../domain/linking/connection-names.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import type { Settings } from '../../domain/settings.ts'
import { issuedTo, type ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { type CallNotes, callNotes } from './call-notes.ts'
import type { AtStep, Decision, Fail, Move, Park, Retry, Step, StepContext } from './decision.ts'
import { errorIfForgotten } from './discover-server.ts'
import { endOwnLink } from './end-link.ts'
import { revokeEscrowed } from './escrowed-grant.ts'
import { afterRevocation, onStepFailure, onTakeovers } from './failure-policy.ts'
import { fenced, LostLink } from './fence.ts'
import { linkKinds } from './link-kinds.ts'
import { clearPlatform } from './revoking-step.ts'

export type ProvisionLink = {
  link: Link
  ready: ReadyIntegration
  found?: { grant: Grant } | { error: DependencyError } | undefined
  requestId?: string | undefined
  notes?: CallNotes | undefined
}

/** Steps are idempotent: names are fixed, and resources of an earlier attempt are recognized as ours. */
export async function provisionLink(
  ports: Ports,
  settings: Settings,
  { link, ready, found, requestId, notes = callNotes(link) }: ProvisionLink,
): Promise<Link> {
  const issuing = found ? ready : await issuingTo(ports, ready, link)
  const run: Run = { ports: notes.over(ports), settings, ready: issuing ?? ready, actor: { ...worker, requestId } }
  try {
    const carry = () => carryOn(run, link, found ? firstStep(link, found) : issuing ? undefined : withoutClient(link))
    return await ports.traces.within('link.provision', link, carry)
  } catch (error) {
    if (!(error instanceof LostLink)) throw error
    return afterLoss(ports, link)
  }
}

type Run = StepContext & { actor: Actor }

const issuingTo = async ({ secrets }: Ports, ready: ReadyIntegration, { id }: Link) =>
  issuedTo(ready, (await secrets.escrow(id))?.clientId)

/** A grant without its client cannot be used, unless the platform already has it. */
const withoutClient = ({ state }: Link): Step | undefined =>
  state === 'escrowed' || state === 'testing' || state === 'tested'
    ? () => Promise.reject(new DependencyError('grant_unusable', { detail: 'its client was replaced' }))
    : undefined

function firstStep(link: Link, found: NonNullable<ProvisionLink['found']>): Step {
  if ('error' in found) return () => Promise.reject(found.error)
  return linkKinds[link.kind].begin(found.grant)
}

async function carryOn(run: Run, link: Link, begun: Step | undefined): Promise<Link> {
  let at = link
  let step = begun
  while (isInHand(at)) {
    const held = at
    const fencedRun = { ...run, ports: fenced(run.ports, () => run.ports.links.keepLease(held)) }
    const decision = onTakeovers(at) ?? (await decide(fencedRun, at, step ?? stepAt(at)))
    at = await carryOut(fencedRun, at, decision)
    step = decision.kind === 'move' ? decision.next : undefined
  }
  return at
}

const isInHand = (link: Link): link is AtStep => isProvisioning(link.state) && link.nextAttemptAt === undefined

function stepAt({ state, kind }: AtStep): Step {
  const step = linkKinds[kind].steps[state]
  if (!step) throw new Error(`no step continues from ${state}`)
  return step
}

async function decide(context: StepContext, link: AtStep, step: Step): Promise<Decision> {
  try {
    return await step(context, link)
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    const reported = await errorIfForgotten(context.ports, context.ready, error)
    return onStepFailure(context, link, reported, linkKinds[link.kind])
  }
}

async function carryOut(run: Run, link: AtStep, decision: Decision): Promise<Link> {
  switch (decision.kind) {
    case 'move':
      return move(run, link, decision)
    case 'retry':
      return retry(run, link, decision)
    case 'park':
      return park(run, link, decision)
    case 'fail':
      // A grant ends with its client.
      return decision.revoke && decision.cause !== 'client_forgotten'
        ? revokeAndFail(run, link, decision)
        : fail(run, link, decision)
  }
}

async function move(run: Run, link: Link, decided: Move): Promise<Link> {
  try {
    return await write(run, link, decided)
  } catch (error) {
    if (!(error instanceof AliasTaken)) throw error
    return write(run, link, await withoutAlias(run, link, decided))
  }
}

/** A name is not worth a consent: the tenant sees that the connection has no alias, and gives it another. */
async function withoutAlias({ ports }: Run, link: Link, decided: Move): Promise<Move> {
  await ports.platform.nameFunction({ ...link, alias: undefined }).catch(ignoreIfAway)
  const { event } = decided.changes ?? {}
  const { alias: _, ...payload } = event?.payload ?? {}
  const changes = { ...decided.changes, dropAlias: true, ...(event && { event: { ...event, payload } }) }
  return { ...decided, changes, facts: { ...decided.facts, aliasTaken: true } } as Move
}

/** Of two functions with one prefix the platform prefixes neither. */
function ignoreIfAway(error: unknown): void {
  if (!(error instanceof DependencyError)) throw error
}

async function write({ ports, actor }: Run, link: Link, decided: Move): Promise<Link> {
  const { to, changes = {}, action = `link.${to}`, facts = {}, before, after } = decided
  // The compiler cannot correlate the state and its facts across the union.
  const audit = { action, actor, ...aboutLink(link), facts, before, after } as AuditEntry
  return ours(await ports.links.move(link, to, changes, audit))
}

const retry = async ({ ports }: Run, link: Link, { inSeconds, cause }: Retry): Promise<Link> =>
  ours(await ports.links.postpone(link, inSeconds, reportedCause(link) ?? cause))

const park = async (run: Run, link: Link, parked: Park): Promise<Link> => ours(await parkLink(run, link, parked))

export function parkLink(
  { ports, actor }: Pick<Run, 'ports' | 'actor'>,
  link: Link,
  { cause, resumeFrom, changes, facts }: Omit<Park, 'kind'>,
): Promise<Link | undefined> {
  const audit = linkEntry(link, 'needs_attention', actor, { ...facts, cause })
  const kept = { cause: reportedCause(link) ?? cause, resumeFrom }
  return ports.links.move(link, 'needs_attention', { ...changes, ...kept }, audit)
}

const fail = async ({ ports, actor }: Run, link: Link, { cause, changes, facts }: Fail): Promise<Link> =>
  ours(await endOwnLink(ports, link, { to: 'failed', actor, facts: { ...facts, cause }, changes }))

async function revokeAndFail(run: Run, link: AtStep, decided: Fail): Promise<Link> {
  const kind = linkKinds[link.kind]
  const failed = await kind.beforeRevocation(run, link, decided)
  if (failed.kind === 'park' || !failed.revoke) return carryOut(run, link, failed)
  const account = failed.changes?.account ?? link.account
  const outcome = await revokeEscrowed(run, link, account).catch((error: unknown) => {
    if (error instanceof DependencyError) return error
    throw error
  })
  if (outcome instanceof DependencyError) return carryOut(run, link, await onStepFailure(run, link, outcome, kind))
  return carryOut(run, link, afterRevocation(link, failed, outcome, run.ports))
}

function ours(written: Link | undefined): Link {
  if (!written) throw new LostLink()
  return written
}

/** A late request of this worker may have created resources for a link that has ended. These are removed. */
async function afterLoss(ports: Ports, link: Link): Promise<Link> {
  const now = (await ports.links.find(link.id)) ?? link
  // As a re-link of another connection it no longer uses its own names.
  if (now.connectionName !== link.connectionName) await clearPlatform(ports, link)
  else if (linkKinds[now.kind].makesConnection && (now.state === 'failed' || (await isDisconnected(ports, now))))
    await clearPlatform(ports, now)
  return now
}

const isDisconnected = async ({ connections }: Ports, { state, connectionId }: Link): Promise<boolean> =>
  state === 'linked' && (await connections.find(connectionId))?.status === 'disconnected'
