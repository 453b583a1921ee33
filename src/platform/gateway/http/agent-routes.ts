import { type Request, type Response, Router } from 'express'
import { requestIdOf } from '../../../kit/http/request-id.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { gigabyteSeconds, type Usage, type UsageDimension } from '../../shared/domain/usage.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import { type Thread, threadIdOf } from '../domain/thread.ts'
import type { Serve, Workload, WorkloadAnswer, WorkloadRequest } from '../domain/workload.ts'
import type { AnswerLater } from '../flows/call-back.ts'
import type { OpenAgent } from '../flows/run-agent.ts'
import { forwardedHeaders } from './proxy-headers.ts'
import { heldBody, streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import { subPath } from './sub-path.ts'

export type AgentFlows = {
  openAgent(workspace: string, name: string): Promise<OpenAgent>
  converse(serve: Serve, thread: Thread, request: WorkloadRequest & { body: string }): Promise<WorkloadAnswer>
  answerLater: AnswerLater
  usage: Usage
  now: () => Date
}

/** Agents: streamed through, with the memory of a thread when the caller names one, or answered later. */
export function agentRoutes(flows: AgentFlows, guards: Guards): Router {
  return Router().all(['/:workspace/agents/:name', '/:workspace/agents/:name/*path'], async (req, res) => {
    const { workspace } = await enterGateway(req, guards, 'agents:get', String(req.params.workspace))
    const opened = await flows.openAgent(workspace, String(req.params.name))
    if (req.method !== 'POST' && !req.params.path) throw new Failure('method_not_allowed', 'Agents are asked by POST.')
    const meter = meterOf(flows, workspace, opened.agent, requestIdOf(res))
    const ask = await prepare(flows, guards, workspace, opened, req)
    if (req.query.async === 'true') return answerAsync(flows, opened.agent, ask, meter, res)
    res.once('close', () => meter('agent_compute_runtime_gbs'))
    await sendAnswer(req, res, await ask(whileConnected(res)), guards.headers)
  })
}

type Ask = (signal: AbortSignal) => Promise<WorkloadAnswer>

/** The body is held whole only where it must be: for the memory of a thread, and for an answer that comes later. */
async function prepare(
  { converse }: AgentFlows,
  { headers }: Guards,
  workspace: string,
  { agent, serve }: OpenAgent,
  req: Request,
): Promise<Ask> {
  const named = req.get(headers.threadId)
  const base = { method: req.method, path: subPath(req), headers: forwardedHeaders(req, headers) }
  if (named !== undefined) {
    const thread = { workspace, agent: agent.id, id: threadIdOf(named) }
    const body = await heldBody(req)
    return (signal) => converse(serve, thread, { ...withoutLength(base), body, signal })
  }
  const body = req.query.async === 'true' ? await heldBody(req) : streamedBody(req)
  return (signal) => serve({ ...base, body, signal })
}

/** The memory makes the body longer than the caller said. */
function withoutLength<R extends { headers: Record<string, unknown> }>(request: R): R {
  const { 'content-length': _, ...headers } = request.headers
  return { ...request, headers }
}

function answerAsync({ answerLater }: AgentFlows, agent: Workload, ask: Ask, meter: Meter, res: Response) {
  answerLater(agent.triggers, (signal) => ask(signal).finally(() => meter('agent_compute_runtime_gbs')))
  meter('agent_async_requests_count')
  res.json({ success: true })
}

type Meter = (dimension: UsageDimension) => void

function meterOf({ usage, now }: AgentFlows, workspace: string, agent: Workload, requestId: string): Meter {
  const startedAt = now()
  return (dimension) => {
    const endedAt = now()
    const counts = dimension === 'agent_async_requests_count'
    usage.record({
      eventId: counts ? `${requestId}-async` : requestId,
      workspace,
      resourceType: 'agent',
      resourceName: agent.name,
      resourceUuid: agent.id,
      dimension,
      quantity: counts ? 1 : gigabyteSeconds(agent.memoryMb, startedAt, endedAt),
      startedAt,
      endedAt,
    })
  }
}
