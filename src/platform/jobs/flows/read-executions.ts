import { z } from 'zod'
import type { Page } from '../../../contract/page.ts'
import type { Actor } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { cutPage, openCursor } from '../../shared/flows/cursor-pages.ts'
import { type Execution, isOver, type Job, type Task } from '../domain/execution.ts'
import type { JobPorts } from '../domain/ports.ts'

export type ExecutionName = { workspace: string; job: string; id: string }

type JobName = Omit<ExecutionName, 'id'>
type PageRequest = { limit: number; cursor: string | undefined }

/** Max tasks in an execution's document. The task list has all. */
const maxShownTasks = 200

export async function readExecution(ports: JobPorts, name: ExecutionName) {
  const execution = await findExecution(ports, name)
  return { execution, tasks: await ports.executions.tasks(execution.uid, maxShownTasks, -1) }
}

async function findExecution(ports: JobPorts, name: ExecutionName): Promise<Execution> {
  const found = await ports.executions.find((await findJob(ports, name)).uid, name.id)
  if (!found) throw new Failure('resource_unknown', 'No execution has this ID.')
  return found
}

export async function findJob({ jobs }: JobPorts, { workspace, job }: JobName): Promise<Job> {
  const found = await jobs.find(workspace, job)
  if (!found) throw new Failure('resource_unknown', 'No job has this name.')
  return found
}

export async function isExecutionOver({ executions }: JobPorts, { uid }: Execution): Promise<boolean> {
  const status = await executions.statusOf(uid)
  return status === undefined || isOver(status)
}

export async function listExecutions(
  ports: JobPorts,
  job: JobName,
  { limit, cursor }: PageRequest,
): Promise<Page<Execution>> {
  const { uid: jobUid } = await findJob(ports, job)
  const query = `executions|${jobUid}`
  const before = openCursor(ports, cursor, query, z.int())
  const found = await ports.executions.page({ jobUid, limit: limit + 1, before })
  const { data, meta } = cutPage(ports, found, limit, query, ({ seq }) => seq)
  return { data, meta: { ...meta, total: await ports.executions.count(jobUid) } }
}

export async function* allExecutions(ports: JobPorts, job: JobName): AsyncGenerator<Execution[]> {
  const { uid: jobUid } = await findJob(ports, job)
  yield* steps(
    (before: number | undefined) => ports.executions.page({ jobUid, limit: stepSize, before }),
    ({ seq }) => seq,
  )
}

export async function listTasks(ports: JobPorts, name: ExecutionName, { limit, cursor }: PageRequest) {
  const execution = await findExecution(ports, name)
  const query = `tasks|${execution.uid}`
  const after = openCursor(ports, cursor, query, z.int()) ?? -1
  const found = await ports.executions.tasks(execution.uid, limit + 1, after)
  const { data, meta } = cutPage(ports, found, limit, query, ({ index }) => index)
  const page: Page<Task> = { data, meta: { ...meta, total: execution.stats.total } }
  return { execution, page }
}

export async function allTasks(ports: JobPorts, name: ExecutionName) {
  const execution = await findExecution(ports, name)
  const step = (after = -1) => ports.executions.tasks(execution.uid, stepSize, after)
  return { execution, tasks: steps(step, ({ index }) => index) }
}

export async function readOutput(ports: JobPorts, name: ExecutionName, index: number): Promise<string> {
  const output = await ports.executions.output((await findExecution(ports, name)).uid, index)
  if (output === undefined) throw new Failure('resource_unknown', 'No task has this name.')
  return output
}

export async function cancelExecution(ports: JobPorts, name: ExecutionName, by: Actor) {
  const { uid } = await findExecution(ports, name)
  await ports.executions.cancel(uid, by)
  await ports.executions.settle()
  return readExecution(ports, name)
}

const stepSize = 200

async function* steps<T>(
  read: (from: number | undefined) => Promise<T[]>,
  positionOf: (item: T) => number,
): AsyncGenerator<T[]> {
  let from: number | undefined
  for (;;) {
    const found = await read(from)
    const last = found.at(-1)
    if (last) yield found
    if (found.length < stepSize || !last) return
    from = positionOf(last)
  }
}
