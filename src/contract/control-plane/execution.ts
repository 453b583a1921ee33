import { z } from 'zod'
import { Cursor, pageLimit } from '../query.ts'
import { JsonValue } from '../resource.ts'
import { isWithoutNul, noNul, VariableName } from './environment.ts'

export const executionStatuses = [
  'queued',
  'pending',
  'running',
  'cancelling',
  'cancelled',
  'failed',
  'succeeded',
  'timeout',
] as const

const TaskArguments = z.record(z.string(), JsonValue)

const Environment = z.record(VariableName, z.string().refine(isWithoutNul, noNul))

/** An object, or a string that contains its JSON. */
const EnvOverride = z.union([
  Environment,
  z.string().transform((text, context) => {
    const parsed = Environment.safeParse(parseJson(text))
    if (parsed.success) return parsed.data
    context.addIssue('must hold a JSON object with string values')
    return z.NEVER
  }),
])

const ExecutionId = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, 'must be 1 to 64 letters, digits, _ or -')

export const ExecutionInput = z.object({
  tasks: z.array(TaskArguments).min(1).max(20_000),
  env: EnvOverride.optional(),
  envOverride: EnvOverride.optional(),
  /** Megabytes. At most the memory of the job. */
  memory: z.int().min(1).optional(),
  memoryOverride: z.int().min(1).optional(),
  id: ExecutionId.optional(),
  executionId: ExecutionId.optional(),
  parallelism: z.int().min(1).max(1_000).optional(),
  /** Seconds for each task. Defaults to the job's timeout. */
  timeout: z.int().min(1).max(604_800).optional(),
})
export type ExecutionInput = z.infer<typeof ExecutionInput>

export const ExecutionQuery = z.object({
  limit: pageLimit(100, 20),
  cursor: Cursor.optional(),
})

/** The tasks default to those of the trigger. */
export const TriggerInput = ExecutionInput.partial({ tasks: true })

/** Nobody is known, so a request may not change variables or limits of the job, and starts fewer tasks. */
export const PublicTriggerInput = z.strictObject({ tasks: ExecutionInput.shape.tasks.max(1_000).optional() })

export const TriggerAccepted = z.object({ success: z.literal(true), executionId: z.string() })

export const Started = z.object({
  executionId: z.string(),
  id: z.string(),
  jobId: z.string(),
  workspaceId: z.string(),
  tasks: z.array(TaskArguments),
})

const text = z.string()

export const Task = z.object({
  metadata: z.object({
    name: text,
    createdAt: text,
    scheduledAt: text,
    startedAt: text,
    completedAt: text,
    updatedAt: text,
  }),
  spec: z.object({ maxRetries: z.int(), timeout: text }),
  conditions: z.array(
    z.object({ type: text, state: text, reason: text, executionReason: text, message: text, severity: text }),
  ),
})

export const JobExecution = z.object({
  metadata: z.object({
    cluster: text,
    completedAt: text,
    createdAt: text,
    deletedAt: text,
    expiredAt: text,
    id: text,
    job: text,
    startedAt: text,
    updatedAt: text,
    workspace: text,
  }),
  spec: z.object({
    envOverride: text,
    memoryOverride: z.int(),
    parallelism: z.int(),
    timeout: z.int(),
    tasks: z.array(Task),
  }),
  stats: z.object({
    cancelled: z.int(),
    failure: z.int(),
    retried: z.int(),
    running: z.int(),
    success: z.int(),
    total: z.int(),
  }),
  status: z.enum(executionStatuses),
  tasks: z.array(Task),
})
export type JobExecution = z.infer<typeof JobExecution>

/** The last 64 kB of stdout, then of stderr. Values of secret variables are replaced. */
export const TaskOutput = z.object({ name: text, output: text })

function parseJson(value: string): unknown {
  try {
    return JSON.parse(value)
  } catch {
    return undefined
  }
}
