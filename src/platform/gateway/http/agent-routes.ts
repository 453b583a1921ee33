import { Secret } from '../../../kit/crypto/secret.ts'
import { callbackOf, httpCallbackOf, pathFromRoot } from '../../shared/domain/callback.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { gigabyteSeconds, type Usage } from '../../shared/domain/usage.ts'
import { beforeEnd } from '../../shared/http/before-end.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import { publicTriggers } from '../../shared/http/public-triggers.ts'
import { threadIdOf } from '../domain/thread.ts'
import type { FindWorkload, WorkloadAnswer, WorkloadRequest } from '../domain/workload.ts'
import type { AnswerLater } from '../flows/answer-later.ts'
import type { OpenAgent, ThreadedCall } from '../flows/run-agent.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { bufferedBody, streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import { chooseRevision } from './sticky-session.ts'
import type { ProxyHandler, ProxyRequest } from './workload-fast-path.ts'

type AgentFlows = {
  openAgent(workspace: string, name: string): Promise<OpenAgent>
  findWorkload: FindWorkload
  threadedCall: ThreadedCall
  answerLater: Pick<AnswerLater, 'accept' | 'telling'>
  usage: Usage
  now: () => Date
}

export function serveAgents(flows: AgentFlows, guards: Guards, isSecure: boolean): ProxyHandler {
  const passing = proxyHeaders(guards.headers)
  const threadHeader = guards.headers.threadId.toLowerCase()
  const triggers = publicTriggers(flows.now)
  return async (request) => {
    const { req, res, path, isAsync } = request
    const named = req.headers[threadHeader]
    const enterPublic = async (refusal: unknown) => {
      // A thread belongs to its caller.
      if (named !== undefined) throw refusal
      const findAgent = () => flows.findWorkload(request.workspace, 'agent', request.name)
      const asked = { type: isAsync ? 'http-async' : 'http', path: pathFromRoot(path.split('?', 1)[0]) } as const
      await triggers.assertPublic(refusal, findAgent, asked)
      return { workspace: request.workspace, isAnonymous: true }
    }
    const entry = { scope: 'agents:get', workspace: request.workspace }
    const enter = async () => ({ ...(await enterGateway(req, guards, entry)), isAnonymous: false })
    const { workspace, isAnonymous } = await enter().catch(enterPublic)
    const opened = await flows.openAgent(workspace, request.name)
    const thread = named === undefined ? undefined : threadIdOf(String(named))
    const ownPath = `/${workspace}/agents/${opened.agent.name}`
    const { chosen, headers } = chooseRevision(opened, opened.agent, { req, path: ownPath, thread, isSecure })
    const isRoot = !/^\/[^?]/.test(path)
    if (req.method !== 'POST' && isRoot) throw new Failure('method_not_allowed', 'Use POST to call an agent.')
    const context: AgentRequestContext = {
      ...chosen,
      workspace,
      isAnonymous,
      thread,
      sent: { method: req.method ?? 'GET', path, headers: passing.forwarded(req.headers) },
    }
    if (isAsync) return answerAsync(flows, context, request)
    beforeEnd(res, meterOf(flows, context, request.requestId))
    const answer = await answerAndTell(flows, context, request)
    sendAnswer(res, answer, passing.answered(answer.headers, { ...request.always, ...headers }))
  }
}

type AgentRequestContext = OpenAgent & {
  workspace: string
  isAnonymous: boolean
  thread: string | undefined
  sent: Pick<WorkloadRequest, 'method' | 'path' | 'headers'>
}

/** The callback of an `http` trigger gets the same answer as the caller. */
async function answerAndTell(flows: AgentFlows, context: AgentRequestContext, request: ProxyRequest) {
  const { workspace, isAnonymous, agent, sent, thread } = context
  const callback = httpCallbackOf(agent.triggers, sent.path)
  if (!callback) return answerOf(flows, context, request)
  const headers = { ...sent.headers, 'accept-encoding': 'identity' }
  const answer = await answerOf(flows, { ...context, sent: { ...sent, headers } }, request)
  // The agent is not called again, so only the callback is stored.
  const asked = new Secret({ ...sent, headers: {}, body: '', thread, callback })
  return flows.answerLater.telling(
    { id: request.requestId, workspace, isAnonymous, agent: agent.name, agentId: agent.id, asked },
    answer,
  )
}

async function answerOf(
  { threadedCall }: AgentFlows,
  context: AgentRequestContext,
  { req, res }: ProxyRequest,
): Promise<WorkloadAnswer> {
  const { serve, workspace, agent, thread: id, sent } = context
  const signal = whileConnected(res)
  if (id === undefined) return serve({ ...sent, body: streamedBody(req), signal })
  const body = await bufferedBody(req)
  return threadedCall(serve, { workspace, agent: agent.id, id }, { ...readHere(sent), body, signal })
}

/** The thread changes the length of the body, and the answer must be readable here. */
function readHere(sent: AgentRequestContext['sent']): AgentRequestContext['sent'] {
  const { 'content-length': _, ...headers } = sent.headers
  return { ...sent, headers: { ...headers, 'accept-encoding': 'identity' } }
}

async function answerAsync(
  flows: AgentFlows,
  context: AgentRequestContext,
  { req, res, requestId, always }: ProxyRequest,
) {
  const { workspace, isAnonymous, agent, thread, sent } = context
  const body = await bufferedBody(req)
  const callback = callbackOf(agent.triggers)
  await flows.answerLater.accept({
    id: requestId,
    workspace,
    isAnonymous,
    agent: agent.name,
    agentId: agent.id,
    asked: new Secret({ ...readHere(sent), body, thread, callback }),
  })
  const at = flows.now()
  const eventId = `${requestId}-async`
  const dimension = 'agent_async_requests_count'
  flows.usage.record({ ...usageOf(context), eventId, dimension, quantity: 1, startedAt: at, endedAt: at })
  res.writeHead(200, { ...always, 'content-type': 'application/json; charset=utf-8' }).end('{"success":true}')
}

const usageOf = ({ workspace, agent }: AgentRequestContext) => ({
  workspace,
  resourceType: 'agent' as const,
  resourceName: agent.name,
  resourceUuid: agent.id,
})

function meterOf({ usage, now }: AgentFlows, context: AgentRequestContext, eventId: string): () => void {
  const startedAt = now()
  return () => {
    const endedAt = now()
    const quantity = gigabyteSeconds(context.agent.memoryMb, startedAt, endedAt)
    const dimension = 'agent_compute_runtime_gbs'
    usage.record({ ...usageOf(context), eventId, dimension, quantity, startedAt, endedAt })
  }
}
