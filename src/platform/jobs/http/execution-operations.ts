import type { Request } from 'express'
import {
  ExecutionInput,
  ExecutionQuery,
  JobExecution,
  Started,
  Task,
  TaskOutput,
} from '../../../contract/control-plane/execution.ts'
import { listing } from '../../../contract/page.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { apiDateOf } from '../../shared/http/api-date.ts'
import { isBeforePages } from '../../shared/http/changes/2026-04-28-paginate-lists.ts'
import type { Operation } from '../../shared/http/operation.ts'
import { sendArray } from '../../shared/http/send-array.ts'
import type { Execution } from '../domain/execution.ts'
import type { ReadExecutions } from '../flows/read-executions.ts'
import type { StartExecution } from '../flows/start-execution.ts'
import { executionDocument, taskDocument } from './execution-document.ts'

export type ExecutionFlows = { startExecution: StartExecution; executions: ReadExecutions }

const all = '/jobs/{jobId}/executions'
const one = `${all}/{executionId}`

const pageOf = (req: Request) => {
  const { limit, cursor } = ExecutionQuery.parse(req.query)
  return { limit, cursor }
}

export function executionOperations({ startExecution, executions }: ExecutionFlows): Operation[] {
  const executionPath = (req: Request) => [String(req.params.jobId), String(req.params.executionId)] as const
  return [
    {
      method: 'post',
      path: all,
      scope: 'jobs:create',
      summary: 'Start an execution of a job',
      anyContentType: true,
      body: ExecutionInput,
      answers: { 200: Started },
      handle: async ({ member: { workspace, caller }, req }) => {
        const input = ExecutionInput.parse(req.body)
        return started(await startExecution(workspace, String(req.params.jobId), { input, by: actorOf(caller) }), input)
      },
    },
    {
      method: 'get',
      path: all,
      scope: 'jobs:list',
      summary: 'List the executions of a job, newest first',
      query: ExecutionQuery,
      answers: { 200: listing(JobExecution) },
      handle: async ({ member: { workspace }, req, res }) => {
        const job = String(req.params.jobId)
        const show = (found: Execution[]) => found.map((execution) => executionDocument(execution, []))
        if (isBeforePages(apiDateOf(res))) return sendArray(res, executions.all(workspace, job), show)
        const { data, meta } = await executions.list(workspace, job, pageOf(req))
        return { data: show(data), meta }
      },
    },
    {
      method: 'get',
      path: one,
      scope: 'jobs:get',
      summary: 'Read an execution',
      answers: { 200: JobExecution },
      handle: async ({ member: { workspace }, req }) => {
        const { execution, tasks } = await executions.find(workspace, ...executionPath(req))
        return executionDocument(execution, tasks)
      },
    },
    {
      method: 'delete',
      path: one,
      scope: 'jobs:delete',
      summary: 'Cancel an execution',
      answers: { 200: JobExecution },
      handle: async ({ member: { workspace, caller }, req }) => {
        const { execution, tasks } = await executions.cancel(workspace, ...executionPath(req), actorOf(caller))
        return executionDocument(execution, tasks)
      },
    },
    {
      method: 'get',
      path: `${one}/tasks`,
      scope: 'jobs:get',
      summary: 'List the tasks of an execution',
      query: ExecutionQuery,
      answers: { 200: listing(Task) },
      handle: async ({ member: { workspace }, req, res }) => {
        if (isBeforePages(apiDateOf(res))) {
          const { execution, tasks } = await executions.allTasks(workspace, ...executionPath(req))
          return sendArray(res, tasks, (found) => found.map((task) => taskDocument(execution, task)))
        }
        const { execution, page } = await executions.tasks(workspace, ...executionPath(req), pageOf(req))
        return { data: page.data.map((task) => taskDocument(execution, task)), meta: page.meta }
      },
    },
    {
      method: 'get',
      path: `${one}/tasks/{taskName}/output`,
      scope: 'jobs:get',
      summary: 'Read the end of what a task wrote',
      answers: { 200: TaskOutput },
      handle: async ({ member: { workspace }, req }) => {
        const name = String(req.params.taskName)
        return { name, output: await executions.output(workspace, ...executionPath(req), indexIn(name)) }
      },
    },
  ]
}

/** A task's name ends with its number. */
function indexIn(name: string): number {
  const [, index] = /-([0-9]{1,6})$/.exec(name) ?? []
  if (index === undefined) throw new Failure('resource_unknown', 'No task has this name.')
  return Number(index)
}

export const started = ({ id, job, workspace }: Execution, { tasks }: ExecutionInput) => ({
  executionId: id,
  id,
  jobId: job,
  workspaceId: workspace,
  tasks,
})
