// Work on a connection that takes several steps outside: each step is written down before it is done, so that any
// process can carry it on.
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
  /** What a person said, in their own words. Undefined if the task follows from something else. */
  reason: string | undefined
  /** Who asked for it. */
  actor: Actor
  notes: TaskNotes
  cause: Cause | undefined
  attempts: number
  fence: number
  /** Who claimed it since a worker last wrote what became of it. */
  claims: number
  createdAt: Date
  updatedAt: Date
}

/** What a step found out that a later one needs. Never a secret. */
export type TaskNotes = {
  /** Whether the grant was revoked at the provider, and if not, why. */
  revocation?: Revocation
  /** The name of the connection on the platform that is to take over. */
  nextName?: string
}

/**
 * `blocked`: this deployment does not call the provider's address. `client_gone`: a provider hears nobody but the client
 * that a grant was issued to, and that is not here any more.
 */
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
