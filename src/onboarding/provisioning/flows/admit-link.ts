// Whether a first link may make one more connection for its user: decided when its account is known, and by one link of
// a user and integration at a time, so that two browsers cannot both find nothing there.

import { DependencyError } from '../../domain/dependency-error.ts'
import { type Admission, admission, isCompared } from '../../domain/end-users/admission.ts'
import type { Link, UpstreamAccount } from '../../domain/link.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import type { Decision, Move, Step, StepContext } from './decision.ts'
import { accountChange } from './escrowed-grant.ts'
import { beginRelink } from './relink-steps.ts'
import { clearPlatform } from './revoking-step.ts'

/** Returns undefined if the link may go on. `isFresh`: nothing of it can be on the platform yet. */
export async function admitLink(
  context: StepContext,
  link: Link,
  { grant, isFresh }: { grant: Grant; isFresh: boolean },
): Promise<Decision | undefined> {
  const admitted = await admissionOf(context, link, grant.account)
  if (admitted.kind === 'add') return undefined
  if (!isFresh) await clearPlatform(context.needs, link)
  if (admitted.kind === 'relink') return relinkInstead(context, link, admitted.connection, grant)
  return { kind: 'fail', cause: admitted.cause, revoke: true, changes: accountChange(grant) }
}

/**
 * The same for a step that comes after the link was admitted: one that waited for a person gave up its place, and
 * another link may have taken it since. What is on the platform by then is too much for a re-link, so it ends.
 */
export const whileAdmitted =
  (step: Step): Step =>
  async (context, link) => {
    const admitted = await admissionOf(context, link, link.account)
    if (admitted.kind === 'add') return step(context, link)
    await clearPlatform(context.needs, link)
    return {
      kind: 'fail',
      cause: admitted.kind === 'refuse' ? admitted.cause : 'already_connected',
      revoke: true,
    }
  }

async function admissionOf(
  { needs, ready }: StepContext,
  link: Link,
  account: UpstreamAccount | undefined,
): Promise<Admission> {
  const { tenant, integration, endUser, ifConnected, config } = link
  const maxConnections = (await needs.tenants.find(tenant))?.maxConnectionsPerUser ?? 0
  if (!isCompared(ifConnected, maxConnections)) return { kind: 'add' }
  if (!(await needs.links.lockUser(link))) throw isBusy()
  const inUse = await needs.connections.inUse({ tenant, integration, endUserId: endUser.id }, account?.id)
  return admission({ ifConnected, maxConnections, config }, inUse, ready.integration)
}

/** The move that begins the re-link says which connection it is for; until then it is as if nothing was decided. */
async function relinkInstead(
  context: StepContext,
  link: Link,
  { id, name, functionName }: { id: string; name: string; functionName: string },
  grant: Grant,
): Promise<Decision> {
  // Where the platform cannot replace secrets, the name that was chosen for the new connection is the second one's.
  const connectionName = context.settings.connectionPut ? name : link.connectionName
  const relinkOf = { connectionId: id, connectionName, functionName }
  const decision = await beginRelink(grant)(context, { ...link, relink: true, ...relinkOf }).catch(busyIfGone)
  if (decision.kind !== 'move' || decision.to !== 'testing') return decision
  const testing: Move = { ...decision, changes: { ...decision.changes, relinkOf }, facts: { recognized: true } }
  return testing
}

/** It was disconnected a moment ago: looked at again, the link makes a connection of its own. */
function busyIfGone(error: unknown): never {
  throw error instanceof DependencyError && error.cause === 'connection_gone' ? isBusy() : error
}

/** Somebody waits on a page, and the other one is done within seconds. */
const isBusy = () => new DependencyError('connection_busy', { retry: { afterSeconds: 1 } })
