// A roll back or a disconnect: how it gets on, and what became of it.
import { isTaskOver, type Revocation, type TaskKind } from '../../../domain/connection-task.ts'
import type { TaskTrace } from '../../../domain/ports/support-ledger.ts'
import { ago, causeWords, moment, shown } from './words.ts'

const openWords: Record<TaskKind, string> = {
  disconnect: 'Being disconnected',
  rollback: 'Going back to the grant before',
}

export function openTask(task: TaskTrace, now: Date) {
  if (isTaskOver(task)) return undefined
  const { kind, step, attempts, cause, createdAt } = task
  return {
    title: openWords[kind],
    step: step.replaceAll('_', ' '),
    since: ago(createdAt, now),
    trouble:
      cause &&
      `${causeWords(cause).title}; tried ${attempts === 1 ? 'once' : `${attempts} times`}, and goes on by itself`,
  }
}

const endedWords: Record<TaskKind, { done: string; failed: string }> = {
  disconnect: { done: 'Disconnected', failed: 'Could not be disconnected' },
  rollback: { done: 'Went back to the grant before', failed: 'Could not go back to the grant before' },
}

const revocationWords: Record<Revocation, string> = {
  revoked: 'the grant was revoked at the app',
  not_kept: 'the grant was not kept, so it could not be revoked',
  not_offered: 'the app has no way to revoke a grant',
  shared: 'the grant was not revoked, because another connection lives off the same consent',
  refused: 'the app did not take the grant back',
}

export function endedTask(task: TaskTrace, now: Date) {
  if (!isTaskOver(task)) return undefined
  const failed = task.step === 'failed'
  const { cause, notes, reason, updatedAt } = task
  const why = failed ? cause && causeWords(cause).title : notes.revocation && revocationWords[notes.revocation]
  return {
    title: endedWords[task.kind][failed ? 'failed' : 'done'],
    badge: failed ? { status: 'failed', label: 'Failed' } : { status: 'linked', label: 'Done' },
    why,
    at: moment(updatedAt),
    since: ago(updatedAt, now),
    reason: shown(reason),
  }
}
