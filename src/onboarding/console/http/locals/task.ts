import { isTaskOver, type Revocation, type TaskKind } from '../../../domain/connection-task.ts'
import type { TaskTrace } from '../../../domain/ports/support-ledger.ts'
import { causeWords } from './cause-words.ts'
import { ago, formatTime, shown } from './words.ts'

const openWords: Record<TaskKind, string> = {
  disconnect: 'Disconnecting',
  rollback: 'Rolling back to the previous grant',
}

export function openTask(task: TaskTrace, now: Date) {
  if (isTaskOver(task)) return undefined
  const { kind, step, attempts, cause, createdAt } = task
  return {
    title: openWords[kind],
    step: step.replaceAll('_', ' '),
    since: ago(createdAt, now),
    problem:
      cause &&
      `${causeWords(cause).title}; ${attempts === 1 ? '1 attempt' : `${attempts} attempts`} so far, retrying automatically`,
  }
}

const endedWords: Record<TaskKind, { done: string; failed: string }> = {
  disconnect: { done: 'Disconnected', failed: 'Disconnect failed' },
  rollback: { done: 'Rolled back to the previous grant', failed: 'Rollback failed' },
}

export const revocationWords: Record<Revocation, string> = {
  revoked: 'the grant was revoked at the app',
  not_kept: 'the grant was not stored, so it could not be revoked',
  not_offered: 'the app does not support revocation',
  shared: 'the grant was not revoked, because another connection depends on it',
  refused: 'the app refused to revoke the grant',
  blocked: 'the app was not asked to revoke the grant, because this deployment does not call its address',
  client_gone:
    'the grant was not revoked, because the OAuth client that it was issued to is no longer configured; the user has to remove the access in their account at the app',
}

export function endedTask(task: TaskTrace, now: Date) {
  if (!isTaskOver(task)) return undefined
  const failed = task.step === 'failed'
  const { cause, notes, reason, updatedAt } = task
  const outcome = failed ? cause && causeWords(cause).title : notes.revocation && revocationWords[notes.revocation]
  return {
    title: endedWords[task.kind][failed ? 'failed' : 'done'],
    badge: failed ? { status: 'failed', label: 'Failed' } : { status: 'linked', label: 'Done' },
    outcome,
    at: formatTime(updatedAt),
    since: ago(updatedAt, now),
    reason: reason === undefined ? undefined : shown(reason),
  }
}
