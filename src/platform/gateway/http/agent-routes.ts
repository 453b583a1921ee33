import { Failure } from '../../shared/domain/failure.ts'
import { gigabyteSeconds, type Usage, type UsageDimension } from '../../shared/domain/usage.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import { type Thread, threadIdOf } from '../domain/thread.ts'
import type { Gone, Serve, Workload, WorkloadAnswer, WorkloadRequest } from '../domain/workload.ts'
import type { AnswerLater } from '../flows/call-back.ts'
import type { OpenAgent } from '../flows/run-agent.ts'
import type { ProxyHandler, ProxyRequest } from './proxy-door.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { heldBody, streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'

export type AgentFlows = {
  openAgent(workspace: string, name: string): Promise<OpenAgent>
  converse(serve: Serve, thread: Thread, request: WorkloadRequest & { body: string }): Promise<WorkloadAnswer>
  answerLater: AnswerLater
  usage: Usage
  now: () => Date
}

/** Agents: streamed through, with the memory of a thread when the caller names one, or answered later. */
export function serveAgents(flows: AgentFlows, guards: Guards): ProxyHandler {
  const passing = proxyHeaders(guards.headers)
  const threadHeader = guards.headers.threadId.toLowerCase()
  return async (request) => {
    const { req, res, name, path, isAsync, requestId } = request
    const { workspace } = await enterGateway(req, guards, 'agents:get', request.workspace)
    const opened = await flows.openAgent(workspace, name)
    const isRoot = !/^\/[^?]/.test(path)
    if (req.method !== 'POST' && isRoot) throw new Failure('method_not_allowed', 'Agents are asked by POST.')
    const meter = meterOf(flows, workspace, opened.agent, requestId)
    const named = req.headers[threadHeader]
    const thread = named === undefined ? undefined : threadOf(workspace, opened.agent, String(named))
    const ask = await prepare(flows, { ...request, forwarded: passing.forwarded(req.headers) }, opened, thread)
    if (isAsync) return answerAsync(flows, opened.agent, ask, meter, request)
    beforeEnd(res, () => meter('agent_compute_runtime_gbs'))
    const answer = await ask(whileConnected(res))
    sendAnswer(res, answer, passing.answered(answer.headers, request.always))
  }
}

const threadOf = (workspace: string, { id: agent }: Workload, named: string): Thread => ({
  workspace,
  agent,
  id: threadIdOf(named),
})

type Ask = (signal: Gone) => Promise<WorkloadAnswer>
type Prepared = ProxyRequest & { forwarded: WorkloadRequest['headers'] }

/** The body is held whole only where it must be: for the memory of a thread, and for an answer that comes later. */
async function prepare(
  { converse }: AgentFlows,
  { req, path, isAsync, forwarded }: Prepared,
  { serve }: OpenAgent,
  thread: Thread | undefined,
): Promise<Ask> {
  const base = { method: req.method ?? 'GET', path, headers: forwarded }
  if (thread) {
    const body = await heldBody(req)
    return (signal) => converse(serve, thread, { ...withoutLength(base), body, signal })
  }
  const body = isAsync ? await heldBody(req) : streamedBody(req)
  return (signal) => serve({ ...base, body, signal })
}

/** The memory makes the body longer than the caller said. */
function withoutLength<R extends { headers: Record<string, unknown> }>(request: R): R {
  const { 'content-length': _, ...headers } = request.headers
  return { ...request, headers }
}

function answerAsync(
  { answerLater }: AgentFlows,
  agent: Workload,
  ask: Ask,
  meter: Meter,
  { res, always }: ProxyRequest,
) {
  answerLater(agent.triggers, (signal) => ask(signal).finally(() => meter('agent_compute_runtime_gbs')))
  meter('agent_async_requests_count')
  res.writeHead(200, { ...always, 'content-type': 'application/json; charset=utf-8' }).end('{"success":true}')
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
