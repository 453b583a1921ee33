import { type Connection, connectionSnapshot, platformNames } from '../../domain/connection.ts'
import type { Revocation } from '../../domain/connection-task.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import { offersRevocation } from '../../domain/integration.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { isUnrevoked, revocationTries, type StoredGrant, unrevokedCauses } from '../../domain/stored-grant.ts'
import { disconnectedEvent } from '../../domain/tenant-event.ts'
import { mayRevoke, revokeStoredGrant } from '../../provisioning/flows/stored-grant.ts'
import { findClient, type ReadyIntegration, undefinedIfMissing } from '../../tenants/flows/find-client.ts'
import { aboutTask, type TaskSteps } from './task-step.ts'

export const disconnectSteps: TaskSteps = {
  work: {
    async revoking(context, task) {
      const revocation = await revokeAll(context.ports, context.connection, task.attempts)
      return context.ports.tasks.move(
        task,
        'removing_function',
        { ...task.notes, revocation },
        { action: 'connection.grant_revocation', ...aboutTask(context, task), facts: { revocation } },
      )
    },
    async removing_function(context, task) {
      await context.ports.platform.deleteFunction(platformNames(context.connection))
      const about = aboutTask(context, task)
      return context.ports.tasks.move(task, 'removing_connection', task.notes, {
        action: 'connection.function_removed',
        ...about,
      })
    },
    async removing_connection(context, task) {
      const { ports, connection } = context
      await ports.platform.deleteConnection(platformNames(connection))
      const event = { id: ports.tokens.id('evt'), ...disconnectedEvent(connection, task.notes.revocation) }
      const before = connectionSnapshot(connection)
      return ports.tasks.finishDisconnect(task, event, {
        action: 'connection.disconnected',
        ...aboutTask(context, task),
        facts: { revocation: task.notes.revocation },
        before,
        after: { ...before, status: 'disconnected', cause: null },
      })
    },
  },
  onFailure: () => undefined,
  giveUp(context, task, cause) {
    const about = aboutTask(context, task)
    return context.ports.tasks.fail(task, cause, { action: 'disconnect.failed', ...about, facts: { cause } })
  },
}

async function revokeAll(ports: Ports, connection: Connection, attempts: number): Promise<Revocation> {
  const ready = await findClient(ports, connection).catch(undefinedIfMissing)
  const current = await ports.storedGrants.find(connection.id, 'current')
  if (!current?.sealed) return 'not_kept'
  if (!ready) return 'client_gone'
  if (!offersRevocation(ready.integration)) return 'not_offered'
  if (!(await mayRevoke(ports, ready, { ...connection, exceptConnection: connection.id }, current))) return 'shared'
  const outcome = await revokeStoredGrant(ports, ready, connection, current)
  if (isUnrevoked(outcome) && attempts < revocationTries)
    throw new DependencyError(unrevokedCauses[outcome], { retry: {}, detail: 'revocation' })
  await revokePrevious(ports, ready, connection)
  return outcome
}

async function revokePrevious(ports: Ports, ready: ReadyIntegration, connection: Connection): Promise<void> {
  const previous: StoredGrant | undefined = await ports.storedGrants.find(connection.id, 'previous')
  if (previous) await revokeStoredGrant(ports, ready, connection, previous)
}
