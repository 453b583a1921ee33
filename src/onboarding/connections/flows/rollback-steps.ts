import type { Secret } from '../../../kit/crypto/secret.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { filledFor } from '../../domain/catalogue/integration-values.ts'
import { type Cause, causeEntry } from '../../domain/cause.ts'
import { type Connection, connectionSnapshot, platformNames } from '../../domain/connection.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Link } from '../../domain/link.ts'
import type { PlatformGrant } from '../../domain/ports/platform.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { type GrantSlot, isIssuedBy, type StoredGrant } from '../../domain/stored-grant.ts'
import { openStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { assertToolWorks } from '../../provisioning/flows/verify-function.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { aboutTask, type TaskContext, type TaskSteps } from './task-step.ts'

export const rollbackSteps: TaskSteps = {
  work: {
    async testing(context, task) {
      await testPrevious(context)
      const about = aboutTask(context, task)
      return context.ports.tasks.move(task, 'swapping', task.notes, { action: 'rollback.tested', ...about })
    },
    async swapping(context, task) {
      const at = platformNames(context.connection)
      const grant = await grantIn(context, 'previous')
      const { platform } = context.ports
      if (context.settings.connectionPut) await platform.replaceConnection(at, grant)
      else {
        const next = { ...at, connectionName: nextName(task.notes.nextName) }
        await platform.createConnection(next, grant)
        await platform.pointFunction(next)
      }
      const about = aboutTask(context, task)
      return context.ports.tasks.move(task, 'verifying', task.notes, { action: 'rollback.swapped', ...about })
    },
    async verifying(context, task) {
      await verify(context)
      const about = aboutTask(context, task)
      return context.ports.tasks.move(task, 'tidying', task.notes, { action: 'rollback.verified', ...about })
    },
    async tidying(context, task) {
      const { ports, connection, settings } = context
      if (!settings.connectionPut) await ports.platform.deleteConnection(platformNames(connection))
      const name = settings.connectionPut ? connection.name : nextName(task.notes.nextName)
      const brought = await linkBefore(ports, connection)
      const account = brought ? brought.account : connection.account
      const to = { name, account, scopes: brought?.grantedScopes ?? connection.scopes }
      const after = connectionSnapshot({ ...connection, ...to, status: 'active', cause: undefined })
      const before = connectionSnapshot(connection)
      const about = aboutTask(context, task)
      return ports.tasks.finishRollback(task, to, { action: 'connection.rolled_back', ...about, before, after })
    },
    async reverting(context, task) {
      const at = platformNames(context.connection)
      const { platform, tasks } = context.ports
      if (context.settings.connectionPut) await platform.replaceConnection(at, await grantIn(context, 'current'))
      else {
        await platform.pointFunction(at)
        await platform.deleteConnection({ ...at, connectionName: nextName(task.notes.nextName) })
      }
      return tasks.fail(task, 'grant_unusable', failedAudit(context, task, 'grant_unusable'))
    },
  },
  onFailure(context, task, cause) {
    const { tasks } = context.ports
    if (task.step === 'testing') return tasks.fail(task, cause, failedAudit(context, task, cause))
    if (task.step === 'reverting' && causeEntry(cause).preventsRevert) {
      return tasks.fail(task, cause, failedAudit(context, task, cause, false))
    }
    const isSwapped = task.step === 'swapping' || task.step === 'verifying'
    return isSwapped
      ? tasks.move(task, 'reverting', task.notes, { action: 'rollback.reverting', ...aboutTask(context, task) })
      : undefined
  },
  giveUp: (context, task, cause) =>
    context.ports.tasks.fail(task, cause, failedAudit(context, task, cause, task.step === 'testing')),
}

function failedAudit(
  context: TaskContext,
  task: ConnectionTask,
  cause: Cause,
  unchanged = true,
): EntryOf<'rollback.failed'> {
  const before = connectionSnapshot(context.connection)
  const facts = { cause, unchanged }
  return { action: 'rollback.failed', ...aboutTask(context, task), facts, before, after: before }
}

export async function linkBefore(
  { storedGrants, links }: Pick<Ports, 'storedGrants' | 'links'>,
  { id }: Pick<Connection, 'id'>,
): Promise<Link | undefined> {
  const previous = await storedGrants.find(id, 'previous')
  return previous && links.find(previous.linkId)
}

function nextName(name: string | undefined): string {
  if (!name) throw new Error('rollback without a second name')
  return name
}

async function testPrevious({ ports, connection }: TaskContext): Promise<void> {
  const previous = await ports.storedGrants.find(connection.id, 'previous')
  const opened = previous && openStoredGrant(ports, connection, previous)
  if (!previous || !opened) throw new DependencyError('grant_revoked', { detail: 'expired' })
  const ready = await clientOf(ports, connection, previous)
  const { trialRefresh } = opened
  const keep = (answer: Secret) => keepNewer(ports, connection, previous.linkId, { trialRefresh, answer })
  await ports.provider.refresh({ ...ready, ...opened, keep })
}

/** Stores the response only if it may have a new refresh token, which replaces the old one. */
async function keepNewer(
  { storedGrants, provider, seal }: Ports,
  { tenant, workspace }: Connection,
  linkId: string,
  { trialRefresh, answer }: { trialRefresh: Secret | undefined; answer: Secret },
): Promise<void> {
  const kept = provider.refreshToKeep(trialRefresh, answer)
  if (!kept) return
  await storedGrants.keepTrialRefresh(
    linkId,
    seal.seal(kept, sealContext.trialRefresh({ id: linkId, tenant, workspace })),
  )
}

async function grantIn({ ports, connection }: TaskContext, slot: GrantSlot): Promise<PlatformGrant> {
  const kept = await ports.storedGrants.find(connection.id, slot)
  const opened = kept && openStoredGrant(ports, connection, kept)
  if (!opened) throw new DependencyError('grant_revoked', { detail: `no ${slot} grant` })
  const { client, integration } = await clientOf(ports, connection, kept)
  const tokens = ports.provider.tokensOf(integration, opened.raw, opened.trialRefresh)
  if (!tokens) throw new DependencyError('grant_revoked', { detail: `no ${slot} grant` })
  return { client, config: connection.config, ...tokens }
}

/** Rejects a grant that the current authorization server did not issue. */
async function clientOf(ports: Ports, connection: Connection, { linkId }: StoredGrant): Promise<ReadyIntegration> {
  const ready = await findClient(ports, connection).catch(undefinedIfMissing)
  if (!ready) throw new DependencyError('integration_removed')
  const brought = await ports.links.find(linkId)
  if (!isIssuedBy(ready.integration, brought?.config))
    throw new DependencyError('grant_revoked', { detail: 'other server' })
  return ready
}

async function verify({ ports, connection }: TaskContext): Promise<void> {
  const { functionUrl } = connection
  await ports.platform.verifyFunction({ ...platformNames(connection), functionUrl })
  const integration = ports.integrations.of(connection)
  if (integration) await assertToolWorks(ports, filledFor(integration, connection.config), connection)
}
