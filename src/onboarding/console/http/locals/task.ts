import { isTaskOver, type Revocation, type TaskKind } from '../../../domain/connection-task.ts'
import type { TaskTrace } from '../../../domain/ports/support-ledger.ts'
import { causeWords } from './cause-words.ts'
import { ago } from './words.ts'

const openWords: Record<TaskKind, string> = {
  disconnect: 'Disconnecting',
  rollback: 'Rolling back',
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

export const revocationWords: Record<Revocation, string> = {
  revoked: 'access was revoked at the app',
  not_kept: 'access was not revoked, because nothing was stored to revoke it with',
  not_offered: 'the app does not support revocation',
  shared: 'access was not revoked, because another connection depends on it',
  refused: 'the app refused to revoke access',
  blocked: 'the app was not asked to revoke access, because calls to it are blocked here',
  client_gone:
    'access was not revoked, because the OAuth client it belongs to is no longer configured; the user has to remove it in their account at the app',
}
