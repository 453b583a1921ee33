// The driver: asks a step what to do, and does it. Steps decide, failure-policy.ts decides where a step fails. None
// of them writes where a link has got to; this file does, for all of them.
import { type Actor, worker } from '../../domain/audit/audit.ts'
import { type AuditEntry, aboutLink, linkEntry } from '../../domain/audit/audit-entry.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { isProvisioning, type Link, type ProvisioningState, toldCause } from '../../domain/link.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import { issuedTo, type ReadyIntegration } from '../../tenants/flows/find-client.ts'
import { type CallNotes, callNotes } from './calls/call-notes.ts'
import type {
  Decision,
  Fail,
  Move,
  Park,
  ProvisionNeeds,
  ProvisionSettings,
  Retry,
  Step,
  StepContext,
} from './decision.ts'
import { endLink } from './end-link.ts'
import { revokeEscrowed } from './escrowed-grant.ts'
import { afterRevocation, onStepFailure, onTakeovers } from './failure-policy.ts'
import { fenced, LostLink } from './fence.ts'
import { beginFirstLink, firstLinkSteps } from './first-link-steps.ts'
import { failImported } from './imports/import-failures.ts'
import { importSteps } from './imports/import-steps.ts'
import { beginRelink, relinkSteps } from './relink-steps.ts'
import { clearPlatform } from './revoking-step.ts'

export type { ProvisionNeeds, ProvisionSettings } from './decision.ts'

export type ProvisionLink = {
  link: Link
  ready: ReadyIntegration
  /** What the exchange found out; a worker that resumes a link reads the escrow again. */
  found?: { grant: Grant } | { error: DependencyError } | undefined
  /** Of whoever waits for it, and may ask support what became of it. */
  requestId?: string | undefined
  /** With what the exchange called outside, where that is not all written yet. */
  notes?: CallNotes | undefined
}

/**
 * Carries a link from escrow to a working function, one step at a time. Each step can be repeated: names are
 * fixed beforehand, and what an earlier try made is recognized as ours.
 */
export const provisionLink =
  (needs: ProvisionNeeds, settings: ProvisionSettings) =>
  async ({ link, ready, found, requestId, notes = callNotes(link) }: ProvisionLink): Promise<Link> => {
    const issuing = found ? ready : await issuingTo(needs, ready, link)
    const run: Run = { needs: notes.over(needs), settings, ready: issuing ?? ready, actor: { ...worker, requestId } }
    try {
      const carry = () => carryOn(run, link, found ? firstStep(link, found) : issuing ? undefined : withoutClient(link))
      return await needs.traces.within('link.provision', link, carry)
    } catch (error) {
      if (!(error instanceof LostLink)) throw error
      return afterLoss(needs, link)
    }
  }

type Run = StepContext & { actor: Actor }

/** A link that was left in between goes on with the client that it began with. */
const issuingTo = async ({ secrets }: ProvisionNeeds, ready: ReadyIntegration, { id }: Link) =>
  issuedTo(ready, (await secrets.escrow(id))?.clientId)

/** Nothing can be made of a grant whose client is gone; what is on the platform already has it. */
const withoutClient = ({ state }: Link): Step | undefined =>
  state === 'escrowed' || state === 'testing' || state === 'tested'
    ? () => Promise.reject(new DependencyError('grant_unusable', { detail: 'its client was replaced' }))
    : undefined

function firstStep({ relink }: Link, found: NonNullable<ProvisionLink['found']>): Step {
  if ('error' in found) return () => Promise.reject(found.error)
  return relink ? beginRelink(found.grant) : beginFirstLink(found.grant)
}

async function carryOn(run: Run, link: Link, begun: Step | undefined): Promise<Link> {
  let at = link
  let step = begun
  while (isInHand(at)) {
    const fencedRun = { ...run, needs: fenced(run.needs, at) }
    const decision = onTakeovers(at) ?? (await decide(fencedRun, at, step ?? stepAt(at)))
    at = await carryOut(fencedRun, at, decision)
    step = decision.kind === 'move' ? decision.next : undefined
  }
  return at
}

type InHand = Link & { state: ProvisioningState }

/** A link that waits for its next try is nobody's until then. */
const isInHand = (link: Link): link is InHand => isProvisioning(link.state) && link.nextAttemptAt === undefined

function stepAt({ state, relink, importId }: InHand): Step {
  const step = (relink ? relinkSteps : importId ? importSteps : firstLinkSteps)[state]
  if (!step) throw new Error(`no step leads on from ${state}`)
  return step
}

async function decide(context: StepContext, link: InHand, step: Step): Promise<Decision> {
  try {
    return await step(context, link)
  } catch (error) {
    if (!(error instanceof DependencyError)) throw error
    return onStepFailure(context, link, error)
  }
}

async function carryOut(run: Run, link: InHand, decision: Decision): Promise<Link> {
  switch (decision.kind) {
    case 'move':
      return move(run, link, decision)
    case 'retry':
      return retry(run, link, decision)
    case 'park':
      return park(run, link, decision)
    case 'fail':
      if (!decision.revoke) return fail(run, link, decision)
      if (link.importId && link.state !== 'revoking')
        return carryOut(run, link, await failImported(run, link, decision))
      return revokeAndFail(run, link, decision)
  }
}

async function move({ needs, actor }: Run, link: Link, decided: Move): Promise<Link> {
  const { to, changes = {}, action = `link.${to}`, facts = {}, before, after } = decided
  // A move has the facts of the state it leads to; the compiler does not keep the two together across the union.
  const audit = { action, actor, ...aboutLink(link), facts, before, after } as AuditEntry
  return ours(await needs.links.move(link, to, changes, audit))
}

const retry = async ({ needs }: Run, link: Link, { inSeconds, cause }: Retry): Promise<Link> =>
  ours(await needs.links.postpone(link, inSeconds, toldCause(link) ?? cause))

const park = async (run: Run, link: Link, parked: Park): Promise<Link> => ours(await parkLink(run, link, parked))

/** Returns undefined if the link is another worker's by now. */
export function parkLink(
  { needs, actor }: Pick<Run, 'needs' | 'actor'>,
  link: Link,
  { cause, resumeFrom, changes, facts }: Omit<Park, 'kind'>,
): Promise<Link | undefined> {
  const audit = linkEntry(link, 'needs_attention', actor, { ...facts, cause })
  const kept = { cause: toldCause(link) ?? cause, resumeFrom }
  return needs.links.move(link, 'needs_attention', { ...changes, ...kept }, audit)
}

const fail = ({ needs, actor }: Run, link: Link, { cause, changes, facts }: Fail): Promise<Link> =>
  endLink(needs)(link, { to: 'failed', actor, facts: { ...facts, cause }, changes })

async function revokeAndFail(run: Run, link: InHand, failed: Fail): Promise<Link> {
  const account = failed.changes?.account ?? link.account
  const outcome = await revokeEscrowed(run, link, account).catch((error: unknown) => {
    if (error instanceof DependencyError) return error
    throw error
  })
  if (outcome instanceof DependencyError) return carryOut(run, link, await onStepFailure(run, link, outcome))
  return carryOut(run, link, afterRevocation(link, failed, outcome, run.needs))
}

function ours(written: Link | undefined): Link {
  if (!written) throw new LostLink()
  return written
}

/**
 * What another worker made of the link is the answer. A request that was on its way when the link was lost may have
 * arrived after that worker was done: what it made for a link that failed, or for a connection that was disconnected
 * since, is nobody's, and is removed.
 */
async function afterLoss(needs: ProvisionNeeds, link: Link): Promise<Link> {
  const now = (await needs.links.find(link.id)) ?? link
  if (!now.relink && (now.state === 'failed' || (await isDisconnected(needs, now)))) await clearPlatform(needs, now)
  return now
}

const isDisconnected = async ({ connections }: ProvisionNeeds, { state, connectionId }: Link): Promise<boolean> =>
  state === 'linked' && (await connections.find(connectionId))?.status === 'disconnected'
