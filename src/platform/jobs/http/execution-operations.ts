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
import { assertKnownMembers } from '../../shared/http/known-members.ts'
import type { MemberRequest, Operation } from '../../shared/http/operation.ts'
import { sendArray } from '../../shared/http/send-array.ts'
import type { Execution } from '../domain/execution.ts'
import type { JobPorts } from '../domain/ports.ts'
import {
  allExecutions,
  allTasks,
  cancelExecution,
  type ExecutionName,
  listExecutions,
  listTasks,
  readExecution,
  readOutput,
} from '../flows/read-executions.ts'
import { startExecution } from '../flows/start-execution.ts'
import { executionDocument, taskDocument } from './execution-document.ts'

const all = '/jobs/{jobId}/executions'
const one = `${all}/{executionId}`

const pageOf = (req: Request) => {
  const { limit, cursor } = ExecutionQuery.parse(req.query)
  return { limit, cursor }
}

const nameIn = ({ member: { workspace }, req: { params } }: MemberRequest): ExecutionName => ({
  workspace,
  job: String(params.jobId),
  id: String(params.executionId),
})

export function executionOperations(ports: JobPorts): Operation[] {
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
        const input = executionIn(req.body)
        return started(
          await startExecution(ports, workspace, String(req.params.jobId), { input, by: actorOf(caller) }),
          input,
        )
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
        const job = { workspace, job: String(req.params.jobId) }
        const show = (found: Execution[]) => found.map((execution) => executionDocument(execution, []))
        if (isBeforePages(apiDateOf(res))) return sendArray(res, allExecutions(ports, job), show)
        const { data, meta } = await listExecutions(ports, job, pageOf(req))
        return { data: show(data), meta }
      },
    },
    {
      method: 'get',
      path: one,
      scope: 'jobs:get',
      summary: 'Read an execution',
      answers: { 200: JobExecution },
      handle: async (request) => {
        const { execution, tasks } = await readExecution(ports, nameIn(request))
        return executionDocument(execution, tasks)
      },
    },
    {
      method: 'delete',
      path: one,
      scope: 'jobs:delete',
      summary: 'Cancel an execution',
      answers: { 200: JobExecution },
      handle: async (request) => {
        const by = actorOf(request.member.caller)
        const { execution, tasks } = await cancelExecution(ports, nameIn(request), by)
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
      handle: async (request) => {
        if (isBeforePages(apiDateOf(request.res))) {
          const { execution, tasks } = await allTasks(ports, nameIn(request))
          return sendArray(request.res, tasks, (found) => found.map((task) => taskDocument(execution, task)))
        }
        const { execution, page } = await listTasks(ports, nameIn(request), pageOf(request.req))
        return { data: page.data.map((task) => taskDocument(execution, task)), meta: page.meta }
      },
    },
    {
      method: 'get',
      path: `${one}/tasks/{taskName}/output`,
      scope: 'jobs:get',
      summary: 'Read what a task wrote to stdout and stderr',
      answers: { 200: TaskOutput },
      handle: async (request) => {
        const name = String(request.req.params.taskName)
        return { name, output: await readOutput(ports, nameIn(request), indexIn(name)) }
      },
    },
  ]
}

function indexIn(name: string): number {
  const [, index] = /-([0-9]{1,6})$/.exec(name) ?? []
  if (index === undefined) throw new Failure('resource_unknown', 'No task has this name.')
  return Number(index)
}

/** Rejects unknown members instead of ignoring them. A response may be sent back. */
export function executionIn(body: unknown): ExecutionInput {
  assertKnownMembers(ExecutionInput, body, Object.keys(Started.shape))
  return ExecutionInput.parse(body)
}

export const started = ({ id, job, workspace }: Execution, { tasks }: ExecutionInput) => ({
  executionId: id,
  id,
  jobId: job,
  workspaceId: workspace,
  tasks,
})
