import { randomUUID } from 'node:crypto'
import type { ExecutionInput } from '../../../contract/control-plane/execution.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { callbackOf, type Trigger } from '../../shared/domain/callback.ts'
import { assertNoLoaderVariables } from '../../shared/domain/environment.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { type Execution, isSameRequest, type Job, type NewExecution, shownOverrides } from '../domain/execution.ts'
import type { Executions, Jobs } from '../domain/ports.ts'

type StartPorts = { jobs: Pick<Jobs, 'find'>; executions: Pick<Executions, 'add' | 'find' | 'hasTasks'> }

type StartRequest = { input: ExecutionInput; by: Actor; triggers?: readonly Trigger[] }

const defaultParallelism = 10

/** Idempotent by ID: a repeated request returns the existing execution. A different request with the same ID is rejected. */
export async function startExecution(
  { jobs, executions }: StartPorts,
  workspace: string,
  name: string,
  { input, by, triggers = [] }: StartRequest,
): Promise<Execution> {
  const job = running(await jobs.find(workspace, name))
  const execution = newExecution(job, input, triggers)
  const isNew = await executions.add(execution, by)
  const started = await executions.find(job.uid, execution.id)
  if (!started) throw new Failure('resource_unknown', 'The job was deleted.')
  if (isNew || (isSameRequest(started, execution) && (await executions.hasTasks(started.uid, execution.tasks)))) {
    return started
  }
  throw new Failure('name_taken', 'An execution of this job has this ID and other tasks or settings.')
}

function newExecution(job: Job, input: ExecutionInput, triggers: readonly Trigger[]): NewExecution {
  const memory = input.memory ?? input.memoryOverride
  if (memory !== undefined && memory > job.memoryMb) {
    throw new Failure('input_invalid', `memory: must be at most the job's ${job.memoryMb} MB`)
  }
  const override = input.env ?? input.envOverride ?? {}
  const env = { ...job.envs.reveal(), ...override }
  assertNoLoaderVariables(env)
  const callback = callbackOf(triggers)
  return {
    uid: randomUUID(),
    id: idIn(input) ?? randomUUID(),
    job,
    parallelism: input.parallelism ?? defaultParallelism,
    memoryMb: memory ?? job.memoryMb,
    memoryOverride: memory ?? 0,
    timeoutOverride: input.timeout,
    envNames: Object.keys(override),
    envShown: shownOverrides(job, override),
    secrets: new Secret({
      env,
      secretNames: Object.keys(env).filter((name) => !job.plainEnvs.includes(name)),
      temporary: job.temporary,
      ...(callback && { callback: { url: callback.url, secret: callback.secret, attempts: callback.attempts } }),
    }),
    tasks: input.tasks,
  }
}

function idIn({ id, executionId }: ExecutionInput): string | undefined {
  if (id !== undefined && executionId !== undefined && id !== executionId) {
    throw new Failure('input_invalid', 'id, executionId: must be equal if both are set')
  }
  return executionId ?? id
}

function running(job: Job | undefined): Job {
  if (!job) throw new Failure('resource_unknown', 'No job has this name.')
  if (job.status === 'DEPLOYED' || job.status === 'DEPLOYING') return job
  throw new Failure('workload_unavailable', `The job is ${job.status}. See its events for the reason.`)
}
