// One link per user and integration decides at a time, so two browsers cannot both find no connection.

import { DependencyError } from '../../domain/dependency-error.ts'
import { type Admission, admission, isCompared } from '../../domain/end-users/admission.ts'
import type { Link, UpstreamAccount } from '../../domain/link.ts'
import type { Grant } from '../../domain/ports/provider.ts'
import type { Decision, Move, Step, StepContext } from './decision.ts'
import { accountChange } from './escrowed-grant.ts'
import { beginRelink } from './relink-steps.ts'
import { clearPlatform } from './revoking-step.ts'

/** Returns undefined if the link may continue. `isFresh`: nothing is on the platform yet. */
export async function admitLink(
  context: StepContext,
  link: Link,
  { grant, isFresh }: { grant: Grant; isFresh: boolean },
): Promise<Decision | undefined> {
  const admitted = await admissionOf(context, link, grant.account)
  if (admitted.kind === 'add') return undefined
  if (!isFresh) await clearPlatform(context.ports, link)
  if (admitted.kind === 'relink') return relinkInstead(context, link, admitted.connection, grant)
  return { kind: 'fail', cause: admitted.cause, revoke: true, changes: accountChange(grant) }
}

/** A parked link gave up its lock. With resources on the platform it is too late for a re-link, so the link fails. */
export const whileAdmitted =
  (step: Step): Step =>
  async (context, link) => {
    if (context.ports.links.hasLockedUser(link)) return step(context, link)
    const admitted = await admissionOf(context, link, link.account)
    if (admitted.kind === 'add') return step(context, link)
    await clearPlatform(context.ports, link)
    const cause = admitted.kind === 'refuse' ? admitted.cause : 'already_connected'
    return { kind: 'fail', cause, revoke: true }
  }

async function admissionOf(
  { ports, ready }: StepContext,
  link: Link,
  account: UpstreamAccount | undefined,
): Promise<Admission> {
  const { tenant, integration, endUser, ifConnected, config } = link
  const maxConnections = (await ports.tenants.find(tenant))?.maxConnectionsPerUser ?? 0
  if (!isCompared({ ifConnected, maxConnections, account })) return { kind: 'add' }
  if (!(await ports.links.lockUser(link))) throw isBusy()
  const owner = { tenant, integration, endUserId: endUser.id }
  const none = { count: 0, ofAccount: [] }
  const inUse = ports.links.isUsersFirst(link) ? none : await ports.connections.inUse(owner, account?.id)
  return admission({ ifConnected, maxConnections, config, account }, inUse, ready.integration)
}

/** The move to `testing` stores the connection. Until then nothing is decided. */
async function relinkInstead(
  context: StepContext,
  link: Link,
  { id, name, functionName }: { id: string; name: string; functionName: string },
  grant: Grant,
): Promise<Decision> {
  // If the platform cannot replace secrets, the new connection's name becomes the second name.
  const connectionName = context.settings.connectionPut ? name : link.connectionName
  const relinkOf = { connectionId: id, connectionName, functionName }
  const decision = await beginRelink(grant)(context, { ...link, kind: 'relink', ...relinkOf }).catch(busyIfGone)
  if (decision.kind !== 'move' || decision.to !== 'testing') return decision
  const testing: Move = { ...decision, changes: { ...decision.changes, relinkOf }, facts: { recognized: true } }
  return testing
}

/** Disconnected a moment ago: on retry the link creates its own connection. */
function busyIfGone(error: unknown): never {
  throw error instanceof DependencyError && error.cause === 'connection_gone' ? isBusy() : error
}

/** A user is waiting on a page, and the other link finishes within seconds. */
const isBusy = () => new DependencyError('connection_busy', { retry: { afterSeconds: 1 } })
