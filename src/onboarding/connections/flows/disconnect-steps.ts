import { type Connection, connectionSnapshot, platformNames } from '../../domain/connection.ts'
import type { Revocation } from '../../domain/connection-task.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { offersRevocation } from '../../domain/integration.ts'
import {
  isUnrevoked,
  mayRevoke,
  revocationTries,
  type StoredGrant,
  unrevokedCauses,
} from '../../domain/stored-grant.ts'
import { disconnectedEvent } from '../../domain/tenant-event.ts'
import { revokeStoredGrant, sharesGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { aboutTask, type TaskNeeds, type TaskSteps } from './task-step.ts'

/** Revokes at the provider first, then removes the function, then the connection it uses. */
export const disconnectSteps: TaskSteps = {
  work: {
    async revoking(context, task) {
      const revocation = await revokeAll(context.needs, context.connection, task.attempts)
      return context.needs.tasks.move(
        task,
        'removing_function',
        { ...task.notes, revocation },
        { action: 'connection.grant_revocation', ...aboutTask(context, task), facts: { revocation } },
      )
    },
    async removing_function(context, task) {
      await context.needs.platform.deleteFunction(platformNames(context.connection))
      const about = aboutTask(context, task)
      return context.needs.tasks.move(task, 'removing_connection', task.notes, {
        action: 'connection.function_removed',
        ...about,
      })
    },
    async removing_connection(context, task) {
      const { needs, connection } = context
      await needs.platform.deleteConnection(platformNames(connection))
      const event = { id: needs.tokens.id('evt'), ...disconnectedEvent(connection, task.notes.revocation) }
      const before = connectionSnapshot(connection)
      return needs.tasks.finishDisconnect(task, event, {
        action: 'connection.disconnected',
        ...aboutTask(context, task),
        facts: { revocation: task.notes.revocation },
        before,
        after: { ...before, status: 'disconnected', cause: null },
      })
    },
  },
  // A disconnect cannot be undone, so each step is retried until it succeeds.
  onFailure: () => undefined,
  giveUp(context, task, cause) {
    const about = aboutTask(context, task)
    return context.needs.tasks.fail(task, cause, { action: 'disconnect.failed', ...about, facts: { cause } })
  },
}

async function revokeAll(needs: TaskNeeds, connection: Connection, attempts: number): Promise<Revocation> {
  const ready = await findClient(needs, connection).catch(undefinedIfMissing)
  const current = await needs.storedGrants.find(connection.id, 'current')
  if (!current?.sealed) return 'not_kept'
  if (!ready) return 'client_gone'
  if (!offersRevocation(ready.integration)) return 'not_offered'
  if (!mayRevoke(ready.integration.revocation.reach, await isShared(needs, ready, connection, current))) return 'shared'
  const outcome = await revokeStoredGrant(needs, ready, connection, current)
  if (isUnrevoked(outcome) && attempts < revocationTries)
    throw new DependencyError(unrevokedCauses[outcome], { retry: {}, detail: 'revocation' })
  await revokePrevious(needs, ready, connection)
  return outcome
}

async function revokePrevious(needs: TaskNeeds, ready: ReadyIntegration, connection: Connection): Promise<void> {
  const previous: StoredGrant | undefined = await needs.storedGrants.find(connection.id, 'previous')
  if (previous) await revokeStoredGrant(needs, ready, connection, previous)
}

async function isShared(
  needs: TaskNeeds,
  ready: ReadyIntegration,
  connection: Connection,
  current: StoredGrant,
): Promise<boolean> {
  if (await sharesGrant(needs, ready, connection, current)) return true
  // The account of a link under way may not be known yet: it has the benefit of the doubt.
  return needs.links.hasConsentUnderWay({ ...connection, except: connection.id })
}
