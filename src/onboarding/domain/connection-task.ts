import type { Actor } from './audit/audit.ts'
import type { Cause } from './cause.ts'

export const taskSteps = {
  disconnect: ['revoking', 'removing_function', 'removing_connection', 'done', 'failed'],
  rollback: ['testing', 'swapping', 'verifying', 'tidying', 'reverting', 'done', 'failed'],
} as const

export type TaskKind = keyof typeof taskSteps
export const taskKinds = Object.keys(taskSteps) as [TaskKind, ...TaskKind[]]
export type TaskStep = (typeof taskSteps)[TaskKind][number]

export type ConnectionTask = {
  id: string
  connectionId: string
  kind: TaskKind
  step: TaskStep
  reason: string | undefined
  actor: Actor
  notes: TaskNotes
  cause: Cause | undefined
  attempts: number
  fence: number
  claims: number
  createdAt: Date
  updatedAt: Date
}

export type TaskNotes = {
  revocation?: Revocation
  nextName?: string
}

/** `client_gone`: only the client that the grant was issued to may revoke it, and it is no longer configured. */
export const revocations = [
  'revoked',
  'not_kept',
  'not_offered',
  'shared',
  'refused',
  'blocked',
  'client_gone',
] as const
export type Revocation = (typeof revocations)[number]

export const isTaskOver = ({ step }: Pick<ConnectionTask, 'step'>): boolean => step === 'done' || step === 'failed'
