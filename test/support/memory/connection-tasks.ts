import type { ConnectionTask, TaskStep } from '../../../src/onboarding/domain/connection-task.ts'
import { attemptsAfter } from '../../../src/onboarding/domain/dependency-error.ts'
import type { ConnectionTasks, RolledBack } from '../../../src/onboarding/domain/ports/connections.ts'
import { previousSeconds } from '../../../src/onboarding/domain/stored-grant.ts'
import { note } from './audit.ts'
import { isOpenSession } from './connect-sessions.ts'
import { isLocked } from './connections.ts'
import { oneSuspectOrOthers } from './fair-turns.ts'
import { judged } from './health-checks.ts'
import { announce } from './outbox.ts'
import { byTime, type ConnectionRow, change, inSeconds, isPast, type Store, type TaskRow, turnedTo } from './tables.ts'

export function memoryConnectionTasks(store: Store, leaseSeconds = 30): ConnectionTasks {
  const { tasks, connections } = store.tables
  const moved = (task: ConnectionTask, step: TaskStep, changes: Partial<TaskRow>): TaskRow | undefined => {
    const row = tasks.get(task.id)
    if (row?.fence !== task.fence || row.step !== task.step) return undefined
    return change(tasks, task.id, { step, attempts: 0, claims: 1, updatedAt: store.now(), ...changes })
  }
  return {
    async open({ connectionId, ...task }, audit) {
      const connection = connections.get(connectionId)
      if (!connection || connection.status === 'disconnected' || isLocked(store, connection)) return undefined
      change(connections, connectionId, { lockedBy: task.id, lockedUntil: undefined })
      const times = { createdAt: store.now(), updatedAt: store.now(), dueAt: inSeconds(store, leaseSeconds) }
      tasks.set(task.id, { ...task, connectionId, cause: undefined, attempts: 0, fence: 0, claims: 1, ...times })
      note(store, audit)
      return read(tasks.get(task.id))
    },
    find: async (id) => read(tasks.get(id)),
    underWay: async (connectionId) =>
      read([...tasks.values()].find((task) => task.connectionId === connectionId && task.dueAt !== undefined)),
    async keepLease({ id, fence, step }) {
      const row = tasks.get(id)
      if (row?.fence !== fence || row.step !== step || !row.dueAt) return false
      change(tasks, id, { dueAt: inSeconds(store, leaseSeconds) })
      return true
    },
    async move(task, step, notes, audit) {
      const row = moved(task, step, { notes, dueAt: inSeconds(store, leaseSeconds) })
      if (row) note(store, audit)
      return read(row)
    },
    async fail(task, cause, audit) {
      const row = moved(task, 'failed', { cause, dueAt: undefined })
      if (row) note(store, audit)
      return read(row)
    },
    async finishDisconnect(task, event, audit) {
      const row = moved(task, 'done', { dueAt: undefined })
      if (!row) return undefined
      const { tenant } = end(store, row.connectionId)
      note(store, audit)
      announce(store, tenant, event)
      return read(row)
    },
    async finishRollback(task, to, audit) {
      const row = moved(task, 'done', { dueAt: undefined })
      if (!row) return undefined
      turn(store, row.connectionId, to)
      note(store, audit)
      return read(row)
    },
    async postpone({ id, fence }, delaySeconds, cause) {
      const row = tasks.get(id)
      if (row?.fence !== fence || !row.dueAt) return
      const attempts = attemptsAfter(row.attempts, cause)
      change(tasks, id, { dueAt: inSeconds(store, delaySeconds), attempts, claims: 0, cause, updatedAt: store.now() })
    },
    async claimDue(limit) {
      const due = [...tasks.values()].filter(({ dueAt }) => isPast(store, dueAt))
      const free = due.sort(byTime(({ dueAt }) => dueAt)).slice(0, limit)
      return oneSuspectOrOthers(free, ({ claims }) => claims > 0).map(({ id, fence, claims }) => {
        const lease = { dueAt: inSeconds(store, leaseSeconds), fence: fence + 1, claims: claims + 1 }
        return read(change(tasks, id, lease)) as ConnectionTask
      })
    },
  } satisfies Partial<ConnectionTasks> as ConnectionTasks
}

function end(store: Store, id: string): ConnectionRow {
  const { connections, storedGrants, sessions } = store.tables
  const at = store.now()
  for (const grant of [...storedGrants.values()]) if (grant.connectionId === id) storedGrants.delete(grant.linkId)
  for (const session of sessions.values()) {
    if (session.connectionId === id && isOpenSession(store, session)) change(sessions, session.id, { cancelledAt: at })
  }
  const ended = { ...turnedTo(store, connections.get(id), 'disconnected'), cause: undefined, healthDueAt: undefined }
  return change(connections, id, { ...ended, disconnectedAt: at, updatedAt: at }) as ConnectionRow
}

function turn(store: Store, id: string, to: RolledBack): void {
  const { connections, storedGrants } = store.tables
  for (const grant of [...storedGrants.values()].filter(({ connectionId }) => connectionId === id)) {
    const isCurrent = grant.slot === 'current'
    const keepUntil = isCurrent ? inSeconds(store, previousSeconds) : undefined
    change(storedGrants, grant.linkId, { slot: isCurrent ? 'previous' : 'current', keepUntil })
  }
  const grantVersion = (connections.get(id)?.grantVersion ?? 0) + 1
  change(connections, id, {
    ...to,
    ...judged,
    grantEndsAt: undefined,
    ...turnedTo(store, connections.get(id), 'active'),
    cause: undefined,
    grantVersion,
    updatedAt: store.now(),
  })
}

function read(row: TaskRow | undefined): ConnectionTask | undefined {
  if (!row) return undefined
  const { dueAt: _, ...task } = row
  return task
}
