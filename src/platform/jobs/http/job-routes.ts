import express, { type Request, type RequestHandler, type Response, type Router } from 'express'
import { ExecutionInput } from '../../../contract/control-plane/execution.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { actorOf } from '../../shared/domain/audit.ts'
import { pathFromRoot, type Trigger } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { apiDate } from '../../shared/http/api-date.ts'
import { assertBodyWithin, isStorable } from '../../shared/http/body-limits.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import { runIdempotent } from '../../shared/http/run-idempotent.ts'
import type { Job } from '../domain/execution.ts'
import type { ReadExecutions } from '../flows/read-executions.ts'
import type { StartExecution } from '../flows/start-execution.ts'
import { askUntil } from './ask-until.ts'
import { executionDocument } from './execution-document.ts'
import { started } from './execution-operations.ts'

export type JobFlows = {
  startExecution: StartExecution
  executions: Pick<ReadExecutions, 'find' | 'isOver'>
  findJob(workspace: string, name: string): Promise<Job | undefined>
  pause(ms: number): Promise<void>
}

/** As long as the gateway waits for any answer. */
const longestWaitMs = 100_000

/** Jobs on the gateway: executions, and the triggers that their owners gave a path. */
export function jobRoutes(flows: JobFlows, guards: Guards): Router {
  const enter = async (req: Request, res: Response) => {
    // The shapes are those of every date; one that nobody knows is a mistake all the same.
    apiDate(req, guards.headers)
    const member = await enterGateway(req, guards, { scope: 'jobs:create', workspace: String(req.params.workspace) })
    const caller = { ...member.caller, from: { requestId: requestIdOf(res), address: req.ip } }
    Object.assign(res.locals, { caller, member })
    return { workspace: member.workspace, by: actorOf(caller) }
  }
  return exactRouter()
    .post('/:workspace/jobs/:job/executions', async (req, res) => {
      const { workspace, by } = await enter(req, res)
      const body = await jsonBody(req, res)
      const start = async () => {
        const input = ExecutionInput.parse(body)
        return started(await flows.startExecution(workspace, String(req.params.job), { input, by }), input)
      }
      res.json(await runIdempotent(guards, req, res, start))
    })
    .post(['/:workspace/jobs/:job', '/:workspace/jobs/:job/*path'], async (req, res) => {
      const { workspace, by } = await enter(req, res)
      const trigger = await triggerFor(flows, workspace, req)
      const body = ((await jsonBody(req, res)) ?? {}) as object
      const start = async () => {
        const input = ExecutionInput.parse({ tasks: trigger.configuration.tasks, ...body })
        const { id, job } = await flows.startExecution(workspace, String(req.params.job), {
          input,
          by,
          triggers: [trigger],
        })
        return { id, job }
      }
      // Only the start is done once: the end may come later than such a request is waited for.
      const { id, job } = (await runIdempotent(guards, req, res, start)) as Awaited<ReturnType<typeof start>>
      if (trigger.type === 'http-async') return void res.json({ success: true, executionId: id })
      await answerWhenOver(flows, res, workspace, job, id)
    })
}

async function triggerFor({ findJob }: JobFlows, workspace: string, req: Request): Promise<Trigger> {
  const job = await findJob(workspace, String(req.params.job))
  if (!job) throw new Failure('resource_unknown', 'No job has this name.')
  const path = `/${[req.params.path ?? []].flat().join('/')}`
  const trigger = job.triggers.find(
    ({ type, enabled, configuration }) => enabled && type !== 'cron' && pathFromRoot(configuration.path) === path,
  )
  if (!trigger) throw new Failure('route_unknown', 'No trigger of this job has this path.')
  return trigger
}

async function answerWhenOver(
  { executions, pause }: JobFlows,
  res: Response,
  workspace: string,
  job: string,
  id: string,
) {
  const { execution } = await executions.find(workspace, job, id)
  await askUntil(async () => res.closed || (await executions.isOver(execution)), {
    longestMs: longestWaitMs,
    nowMs: () => performance.now(),
    pause,
  })
  const ended = await executions.find(workspace, job, id)
  res.json(executionDocument(ended.execution, ended.tasks))
}

/** JSON, whatever the content type says: tools that start jobs often say nothing. */
const largestBody = 16 * 1024 * 1024
const parse: RequestHandler = express.json({ limit: largestBody, type: () => true })

async function jsonBody(req: Request, res: Response): Promise<unknown> {
  assertBodyWithin(req, largestBody)
  await new Promise<void>((resolve, reject) =>
    parse(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  )
  if (!isStorable(req.body))
    throw new Failure('input_invalid', 'A text in the body cannot be stored, or it is too deep.')
  return req.body
}
