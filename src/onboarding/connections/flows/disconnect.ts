import { aboutConnection } from '../../domain/audit/audit-entry.ts'
import { connectionSnapshot } from '../../domain/connection.ts'
import type { Background } from '../../domain/ports/shared.ts'

import { liveConnection, type OnConnection } from './own-connection.ts'
import { connectionBusy, type TaskNeeds, type TaskSettings } from './task-step.ts'
import { openedBefore, type TaskInProgress, workOnTask } from './work-on-task.ts'

type Needs = TaskNeeds & { background: Background }

/** A person says why in their own words; a disconnect that follows from something else says from what. */
export type DisconnectRequest = Omit<OnConnection, 'reason'> &
  (
    | { reason: string; following?: undefined }
    | { reason?: undefined; following: 'tenant_deletion' | 'erasure' | 'manage_page' }
  )

/** Ends a connection for good: at the provider where possible, and on the platform. */
export const disconnect =
  (needs: Needs, settings: TaskSettings) =>
  async (input: DisconnectRequest): Promise<TaskInProgress> => {
    const { actor, reason, following, claim } = input
    const id = needs.tokens.id('tsk', claim?.seed)
    const opened = await openedBefore(needs, id, claim)
    if (opened) return opened
    const connection = await liveConnection(needs, input)
    const about = { actor, ...aboutConnection(connection), reason }
    const task = await needs.tasks.open(
      {
        id,
        connectionId: connection.id,
        kind: 'disconnect',
        step: 'revoking',
        reason,
        actor,
        notes: {},
      },
      { action: 'disconnect.started', ...about, facts: { following }, before: connectionSnapshot(connection) },
    )
    if (!task) throw connectionBusy()
    return { task, done: needs.background.keep(workOnTask(needs, settings)(task)) }
  }
