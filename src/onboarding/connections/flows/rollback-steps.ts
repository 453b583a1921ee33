import type { Secret } from '../../../kit/crypto/secret.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import type { Cause } from '../../domain/cause.ts'
import { connectionSnapshot, platformNames } from '../../domain/connection.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Link } from '../../domain/link.ts'
import type { PlatformGrant } from '../../domain/ports/platform.ts'
import { sealContext } from '../../domain/seal-context.ts'
import { type GrantSlot, isIssuedBy, type StoredGrant } from '../../domain/stored-grant.ts'
import { openStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { assertToolWorks } from '../../provisioning/flows/verify-function.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { aboutTask, type TaskContext, type TaskSteps } from './task-step.ts'

/** Restores the previous grant as a re-link would: it is tested before anything is swapped and verified afterwards. */
export const rollbackSteps: TaskSteps = {
  work: {
    async testing(context, task) {
      await testPrevious(context)
      const about = aboutTask(context, task)
      return context.needs.tasks.move(task, 'swapping', task.notes, { action: 'rollback.tested', ...about })
    },
    async swapping(context, task) {
      const at = platformNames(context.connection)
      const grant = await grantIn(context, 'previous')
      const { platform } = context.needs
      if (context.settings.connectionPut) await platform.replaceConnection(at, grant)
      else {
        const next = { ...at, connectionName: nextName(task.notes.nextName) }
        await platform.createConnection(next, grant)
        await platform.pointFunction(next)
      }
      const about = aboutTask(context, task)
      return context.needs.tasks.move(task, 'verifying', task.notes, { action: 'rollback.swapped', ...about })
    },
    async verifying(context, task) {
      await verify(context)
      const about = aboutTask(context, task)
      return context.needs.tasks.move(task, 'tidying', task.notes, { action: 'rollback.verified', ...about })
    },
    async tidying(context, task) {
      const { needs, connection, settings } = context
      if (!settings.connectionPut) await needs.platform.deleteConnection(platformNames(connection))
      const name = settings.connectionPut ? connection.name : nextName(task.notes.nextName)
      const brought = await linkBefore(needs, connection)
      const account = brought ? brought.account : connection.account
      const to = { name, account, scopes: brought?.grantedScopes ?? connection.scopes }
      const after = connectionSnapshot({ ...connection, ...to, status: 'active', cause: undefined })
      const before = connectionSnapshot(connection)
      const about = aboutTask(context, task)
      return needs.tasks.finishRollback(task, to, { action: 'connection.rolled_back', ...about, before, after })
    },
    async reverting(context, task) {
      const at = platformNames(context.connection)
      const { platform, tasks } = context.needs
      if (context.settings.connectionPut) await platform.replaceConnection(at, await grantIn(context, 'current'))
      else {
        await platform.pointFunction(at)
        await platform.deleteConnection({ ...at, connectionName: nextName(task.notes.nextName) })
      }
      return tasks.fail(task, 'grant_unusable', failedAudit(context, task, 'grant_unusable'))
    },
  },
  onFailure(context, task, cause) {
    const { tasks } = context.needs
    if (task.step === 'testing') return tasks.fail(task, cause, failedAudit(context, task, cause))
    if (task.step === 'reverting' && leavesNothing.has(cause)) {
      return tasks.fail(task, cause, failedAudit(context, task, cause, false))
    }
    const isSwapped = task.step === 'swapping' || task.step === 'verifying'
    return isSwapped
      ? tasks.move(task, 'reverting', task.notes, { action: 'rollback.reverting', ...aboutTask(context, task) })
      : undefined
  },
  giveUp: (context, task, cause) =>
    context.needs.tasks.fail(task, cause, failedAudit(context, task, cause, task.step === 'testing')),
}

/** The connection is unchanged, unless the entry says otherwise. */
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

/** The link that obtained the previous grant: it has its account and scopes. */
export async function linkBefore(
  { storedGrants, links }: Pick<TaskContext['needs'], 'storedGrants' | 'links'>,
  { id }: Pick<TaskContext['connection'], 'id'>,
): Promise<Link | undefined> {
  const previous = await storedGrants.find(id, 'previous')
  return previous && links.find(previous.linkId)
}

/** Without a client or a grant nothing can be restored: the task fails, and only a re-link helps. */
const leavesNothing: ReadonlySet<Cause> = new Set<Cause>(['integration_removed', 'grant_revoked'])

/** The name was chosen when the task was created. */
function nextName(name: string | undefined): string {
  if (!name) throw new Error('a rollback without PUT has a second name')
  return name
}

async function testPrevious({ needs, connection }: TaskContext): Promise<void> {
  const previous = await needs.storedGrants.find(connection.id, 'previous')
  const opened = previous && openStoredGrant(needs, connection, previous)
  if (!previous || !opened) throw new DependencyError('grant_revoked', { detail: 'its time is over' })
  const ready = await clientOf(needs, connection, previous)
  const { trialRefresh } = opened
  const keep = (answer: Secret) => keepNewer(needs, connection, previous.linkId, { trialRefresh, answer })
  await needs.provider.refresh({ ...ready, ...opened, keep })
}

/** Stores the response only if it may have a new refresh token, which is the current one from then on. */
async function keepNewer(
  { storedGrants, provider, seal }: TaskContext['needs'],
  { tenant, workspace }: TaskContext['connection'],
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

async function grantIn({ needs, connection }: TaskContext, slot: GrantSlot): Promise<PlatformGrant> {
  const kept = await needs.storedGrants.find(connection.id, slot)
  const opened = kept && openStoredGrant(needs, connection, kept)
  if (!opened) throw new DependencyError('grant_revoked', { detail: `no ${slot} grant` })
  const { client, integration } = await clientOf(needs, connection, kept)
  const tokens = needs.provider.tokensOf(integration, opened.raw, opened.trialRefresh)
  if (!tokens) throw new DependencyError('grant_revoked', { detail: `no ${slot} grant` })
  return { client, config: connection.config, ...tokens }
}

/** For a grant that goes where the connection does now, and nowhere that did not issue it. */
async function clientOf(
  needs: TaskContext['needs'],
  connection: TaskContext['connection'],
  { linkId }: StoredGrant,
): Promise<ReadyIntegration> {
  const ready = await findClient(needs, connection).catch(undefinedIfMissing)
  if (!ready) throw new DependencyError('integration_removed')
  const brought = await needs.links.find(linkId)
  if (!isIssuedBy(ready.integration, brought?.config))
    throw new DependencyError('grant_revoked', { detail: 'other server' })
  return ready
}

async function verify({ needs, connection }: TaskContext): Promise<void> {
  const { functionUrl } = connection
  await needs.platform.verifyFunction({ ...platformNames(connection), functionUrl })
  const integration = needs.integrations.of(connection)
  if (integration) await assertToolWorks(needs, integration, functionUrl)
}
