import type { executionStatuses } from '../../../contract/control-plane/execution.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Trigger } from '../../shared/domain/callback.ts'
import type { TemporaryFolder } from '../../shared/domain/engine.ts'

export type ExecutionStatus = (typeof executionStatuses)[number]

export const startableStatuses = ['queued', 'running'] as const satisfies ExecutionStatus[]

export const openStatuses = [...startableStatuses, 'cancelling'] as const satisfies ExecutionStatus[]

export type Job = {
  uid: string
  workspace: string
  name: string
  status: string
  image: string
  memoryMb: number
  maxRetries: number
  timeoutSeconds: number
  envs: Secret<Record<string, string>>
  plainEnvs: string[]
  functions: string[]
  temporary: TemporaryFolder[]
  triggers: Trigger[]
  updatedAt: Date
}

export type Arguments = Record<string, unknown>

/** Sealed at rest. Only workers read it. */
export type ExecutionSecrets = {
  env: Record<string, string>
  /** Variables whose values are hidden in the output of tasks. */
  secretNames: string[]
  temporary?: TemporaryFolder[]
  callback?: { url: string; secret: string | undefined; attempts: number } | undefined
}

export type NewExecution = {
  uid: string
  id: string
  job: Job
  parallelism: number
  memoryMb: number
  memoryOverride: number
  timeoutOverride: number | undefined
  envNames: string[]
  envShown: Record<string, string>
  secrets: Secret<ExecutionSecrets>
  tasks: Arguments[]
}

export type Execution = {
  uid: string
  seq: number
  id: string
  workspace: string
  job: string
  status: ExecutionStatus
  parallelism: number
  timeoutSeconds: number
  memoryOverride: number
  envNames: string[]
  envShown: Record<string, string>
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
  updatedAt: Date
  stats: Record<'cancelled' | 'failure' | 'retried' | 'running' | 'success' | 'total', number>
}

export const taskStates = ['pending', 'running', 'succeeded', 'failed', 'timeout', 'cancelled'] as const
export type Task = {
  index: number
  state: (typeof taskStates)[number]
  attempts: number
  maxRetries: number
  reason: string
  createdAt: Date
  scheduledAt: Date | null
  startedAt: Date | null
  completedAt: Date | null
  updatedAt: Date
}

/** Variables that the job does not define count as secret. */
export const shownOverrides = ({ plainEnvs }: Job, override: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(override).filter(([name]) => plainEnvs.includes(name)))

export const isSameRequest = (found: Execution, requested: NewExecution): boolean =>
  found.parallelism === requested.parallelism &&
  found.memoryOverride === requested.memoryOverride &&
  (requested.timeoutOverride ?? found.timeoutSeconds) === found.timeoutSeconds &&
  [...found.envNames].sort().join() === [...requested.envNames].sort().join() &&
  Object.entries(requested.envShown).every(([name, value]) => found.envShown[name] === value)

export const isOver = (status: ExecutionStatus): boolean =>
  ['cancelled', 'failed', 'succeeded', 'timeout'].includes(status)
