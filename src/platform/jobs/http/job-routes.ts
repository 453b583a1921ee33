import express, { type Request, type Response, type Router } from 'express'
import { ExecutionInput, PublicTriggerInput } from '../../../contract/control-plane/execution.ts'
import { exactRouter } from '../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { pollPauseMs } from '../../../kit/process/backoff.ts'
import { actorOf, publicCaller } from '../../shared/domain/audit.ts'
import { pathFromRoot, type Trigger } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { apiDate } from '../../shared/http/api-date.ts'
import { assertBodyWithin, isStorable } from '../../shared/http/body-limits.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import { publicTriggers } from '../../shared/http/public-triggers.ts'
import { runIdempotent } from '../../shared/http/run-idempotent.ts'
import type { Job } from '../domain/execution.ts'
import type { JobPorts } from '../domain/ports.ts'
import { type ExecutionName, findJob, isExecutionOver, readExecution } from '../flows/read-executions.ts'
import { startExecution } from '../flows/start-execution.ts'
import { executionDocument } from './execution-document.ts'
import { executionIn, started } from './execution-operations.ts'

/** Equals the idle timeout of the gateway. */
const maxWaitMs = 100_000

export function jobRoutes(ports: JobPorts, guards: Guards): Router {
  const enter = async (req: Request, res: Response) => {
    // The format is the same for all versions, but an unknown version is rejected.
    apiDate(req, guards.headers)
    const member = await enterGateway(req, guards, { scope: 'jobs:create', workspace: String(req.params.workspace) })
    const caller = { ...member.caller, from: { requestId: requestIdOf(res), address: req.ip } }
    Object.assign(res.locals, { caller, member })
    return { workspace: member.workspace, by: actorOf(caller) }
  }
  const publicly = publicTriggers(ports.now)
  const enterPublic = async (refusal: unknown, req: Request) => {
    const workspace = String(req.params.workspace)
    const findTrigger = async () => {
      const job = await ports.jobs.find(workspace, String(req.params.job))
      const trigger = job && triggerAt(job, req)
      return trigger && { id: job.uid, triggers: [trigger] }
    }
    await publicly.assertPublic(refusal, findTrigger, { path: pathOf(req) })
    return { workspace, by: publicCaller }
  }
  return exactRouter()
    .post('/:workspace/jobs/:job/executions', async (req, res) => {
      const { workspace, by } = await enter(req, res)
      const body = await jsonBody(req, res)
      const start = async () => {
        const input = executionIn(body)
        return started(await startExecution(ports, workspace, String(req.params.job), { input, by }), input)
      }
      res.json(await runIdempotent(guards, req, res, start))
    })
    .post(['/:workspace/jobs/:job', '/:workspace/jobs/:job/*path'], async (req, res) => {
      const { workspace, by } = await enter(req, res).catch((refusal) => enterPublic(refusal, req))
      const trigger = await triggerFor(ports, workspace, req)
      const body = ((await jsonBody(req, res, by === publicCaller ? maxPublicBytes : maxBodyBytes)) ?? {}) as object
      const start = async () => {
        const sent = by === publicCaller ? PublicTriggerInput.parse(body) : body
        const input = ExecutionInput.parse({ tasks: trigger.configuration.tasks, ...sent })
        const { id, job } = await startExecution(ports, workspace, String(req.params.job), {
          input,
          by,
          triggers: [trigger],
        })
        return { id, job }
      }
      // Only the start is idempotent, because the execution may outlast such a request.
      const started = by === publicCaller ? start() : runIdempotent(guards, req, res, start)
      const { id, job } = (await started) as Awaited<ReturnType<typeof start>>
      if (trigger.type === 'http-async') return void res.json({ success: true, executionId: id })
      await answerWhenOver(ports, res, { workspace, job, id })
    })
}

async function triggerFor(ports: JobPorts, workspace: string, req: Request): Promise<Trigger> {
  const trigger = triggerAt(await findJob(ports, { workspace, job: String(req.params.job) }), req)
  if (!trigger) throw new Failure('route_unknown', 'No trigger of this job has this path.')
  return trigger
}

const pathOf = (req: Request) => `/${[req.params.path ?? []].flat().join('/')}`

const triggerAt = ({ triggers }: Job, req: Request): Trigger | undefined =>
  triggers.find(
    ({ type, enabled, configuration }) =>
      enabled && type !== 'cron' && pathFromRoot(configuration.path) === pathOf(req),
  )

async function answerWhenOver(ports: JobPorts, res: Response, name: ExecutionName): Promise<void> {
  const { execution } = await readExecution(ports, name)
  await askUntil(async () => res.closed || (await isExecutionOver(ports, execution)), {
    maxMs: maxWaitMs,
    nowMs: () => performance.now(),
    pause: ports.pause,
  })
  const ended = await readExecution(ports, name)
  res.json(executionDocument(ended.execution, ended.tasks))
}

const maxBodyBytes = 16 * 1024 * 1024
const maxPublicBytes = 1024 * 1024

async function jsonBody(req: Request, res: Response, limit = maxBodyBytes): Promise<unknown> {
  assertBodyWithin(req, limit)
  // JSON for any content type, because tools that start jobs often send none.
  const parse = express.json({ limit, type: () => true })
  await new Promise<void>((resolve, reject) =>
    parse(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  )
  if (!isStorable(req.body))
    throw new Failure('input_invalid', 'The body is nested too deeply or contains an invalid character.')
  return req.body
}

type Waiting = { maxMs: number; nowMs(): number; pause(ms: number): Promise<void> }

export async function askUntil(ask: () => Promise<boolean>, { maxMs, nowMs, pause }: Waiting): Promise<void> {
  const startedAt = nowMs()
  while (!(await ask())) {
    const waitedMs = nowMs() - startedAt
    if (waitedMs > maxMs) return
    await pause(pollPauseMs(waitedMs))
  }
}
