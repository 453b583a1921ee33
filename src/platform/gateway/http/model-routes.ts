import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { OpenModel } from '../flows/open-model.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import type { ProxyHandler } from './workload-fast-path.ts'

export type ModelFlows = { openModel(workspace: string, name: string): Promise<OpenModel> }

/** Models: every path below their address goes to the upstream, with the key of their connection. */
export function serveModels({ openModel }: ModelFlows, guards: Guards): ProxyHandler {
  const passing = proxyHeaders(guards.headers)
  return async ({ req, res, workspace, name, path, always }) => {
    const member = await enterGateway(req, guards, 'models:get', workspace)
    const { serve, key } = await openModel(member.workspace, name)
    const headers = passing.forwarded(req.headers)
    if (key !== undefined) headers.authorization = `Bearer ${key}`
    const method = req.method ?? 'GET'
    const answer = await serve({ method, path, headers, body: streamedBody(req), signal: whileConnected(res) })
    sendAnswer(res, answer, passing.answered(answer.headers, always))
  }
}
