import type { executionStatuses } from '../../../contract/control-plane/execution.ts'
import type { Secret } from '../../../kit/crypto/secret.ts'
import type { Trigger } from '../../shared/domain/callback.ts'

export type ExecutionStatus = (typeof executionStatuses)[number]

/** Its tasks may be begun. */
export const startableStatuses = ['queued', 'running'] as const satisfies ExecutionStatus[]

/** It has not ended. */
export const openStatuses = [...startableStatuses, 'cancelling'] as const satisfies ExecutionStatus[]

/** A job, as executions need it. */
export type Job = {
  uid: string
  workspace: string
  name: string
  status: string
  image: string
  memoryMb: number
  maxRetries: number
  /** For each task. */
  timeoutSeconds: number
  envs: Secret<Record<string, string>>
  /** Those of them that are no secrets. */
  plainEnvs: string[]
  triggers: Trigger[]
  updatedAt: Date
}

export type Arguments = Record<string, unknown>

/** What only workers may see. It is sealed at rest. */
export type ExecutionSecrets = {
  env: Record<string, string>
  callback?: { url: string; secret: string | undefined; attempts: number } | undefined
}

export type NewExecution = {
  uid: string
  id: string
  job: Job
  parallelism: number
  memoryMb: number
  memoryOverride: number
  envNames: string[]
  envShown: Record<string, string>
  secrets: Secret<ExecutionSecrets>
  tasks: Arguments[]
}

export type Stats = Record<'cancelled' | 'failure' | 'retried' | 'running' | 'success' | 'total', number>

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
  /** The values of those that may be read. */
  envShown: Record<string, string>
  createdAt: Date
  startedAt: Date | null
  completedAt: Date | null
  updatedAt: Date
  stats: Stats
}

export const taskStates = ['pending', 'running', 'succeeded', 'failed', 'timeout', 'cancelled'] as const
export type TaskState = (typeof taskStates)[number]

export type Task = {
  index: number
  state: TaskState
  attempts: number
  maxRetries: number
  reason: string
  createdAt: Date
  scheduledAt: Date | null
  startedAt: Date | null
  completedAt: Date | null
  updatedAt: Date
}

/**
 * Variables by which loaders and interpreters run other code than the command names. An image's command is the
 * operator's: whoever starts a job chooses its arguments, not its code.
 */
const loaderVariables =
  /^(PATH|IFS|ENV|BASH_ENV|SHELLOPTS|BASHOPTS|PS4|LD_.*|DYLD_.*|GLIBC_.*|MALLOC_.*|GCONV_PATH|NODE_(?!ENV$).*|.*_OPTIONS|PYTHON.*|PERL.*|RUBY.*|GEM_.*|JAVA_.*|CLASSPATH|LUA_.*|PHP.*|GIT_.*|BASH_FUNC_.*)$/i

export const loaderVariablesIn = (env: Record<string, string>): string[] =>
  Object.keys(env).filter((name) => loaderVariables.test(name))

/** What its job does not know may be anything, so it counts as a secret. */
export const shownOverrides = ({ plainEnvs }: Job, override: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(override).filter(([name]) => plainEnvs.includes(name)))

/** As far as an execution shows how it was asked for; its tasks are compared where they are. */
export const isSameRequest = (found: Execution, requested: NewExecution): boolean =>
  found.parallelism === requested.parallelism &&
  found.memoryOverride === requested.memoryOverride &&
  [...found.envNames].sort().join() === [...requested.envNames].sort().join() &&
  Object.entries(requested.envShown).every(([name, value]) => found.envShown[name] === value)

export const isOver = (status: ExecutionStatus): boolean =>
  ['cancelled', 'failed', 'succeeded', 'timeout'].includes(status)
