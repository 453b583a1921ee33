import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { connectionSnapshot } from '../../domain/connection.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Settings } from '../../domain/settings.ts'
import { liveConnection, type OnConnection } from './own-connection.ts'
import { connectionBusy } from './task-step.ts'
import { openedBefore, type TaskInProgress, workOnTask } from './work-on-task.ts'

/** A person gives a reason. A disconnect that follows from another operation names that operation. */
export type DisconnectRequest = Omit<OnConnection, 'reason'> &
  (
    | { reason: string; following?: undefined }
    | { reason?: undefined; following: 'tenant_deletion' | 'erasure' | 'manage_page' }
  )

export async function disconnect(ports: Ports, settings: Settings, input: DisconnectRequest): Promise<TaskInProgress> {
  const { actor, reason, following, claim } = input
  const id = ports.tokens.id('tsk', claim?.seed)
  const opened = await openedBefore(ports, id, claim)
  if (opened) return opened
  const connection = await liveConnection(ports, input)
  const about = { actor, ...aboutConnection(connection), reason }
  const task = await ports.tasks.open(
    { id, connectionId: connection.id, kind: 'disconnect', step: 'revoking', reason, actor, notes: {} },
    { action: 'disconnect.started', ...about, facts: { following }, before: connectionSnapshot(connection) },
  )
  if (!task) throw connectionBusy()
  return { task, done: ports.background.keep(workOnTask(ports, settings, task)) }
}
