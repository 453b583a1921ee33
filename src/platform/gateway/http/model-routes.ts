import { Failure } from '../../shared/domain/failure.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { Headers, WorkloadAnswer } from '../domain/workload.ts'
import {
  type CallPorts,
  callModelApi,
  type OpenModel,
  type OpenModelApi,
  type OpenModelImage,
} from '../flows/call-model-api.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { bufferedBody, streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import { chooseRevision } from './sticky-session.ts'
import type { ProxyHandler, ProxyRequest } from './workload-fast-path.ts'

/** Prompts contain images and documents. */
const maxPromptBytes = 32 * 1024 * 1024

type Open = (workspace: string, name: string) => Promise<OpenModel>

export function serveModels(ports: CallPorts, openModel: Open, guards: Guards, isSecure: boolean): ProxyHandler {
  const passing = proxyHeaders(guards.headers)
  return async (request) => {
    const { req, res, workspace, name, always } = request
    const member = await enterGateway(req, guards, { scope: 'models:get', workspace })
    const opened = await openModel(member.workspace, name)
    const headers = passing.forwarded(req.headers)
    if (!('serve' in opened)) {
      const answer = await askApi(ports, opened, headers, request)
      return sendAnswer(res, answer, passing.answered(answer.headers, always))
    }
    const path = `/${member.workspace}/models/${opened.model.name}`
    const session = chooseRevision(opened, opened.model, { req, path, isSecure })
    const answer = await askImage(session.chosen, headers, request)
    sendAnswer(res, answer, passing.answered(answer.headers, { ...always, ...session.headers }))
  }
}

function askImage({ serve, key }: OpenModelImage, headers: Headers, { req, res, path }: ProxyRequest) {
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  const method = req.method ?? 'GET'
  return serve({ method, path, headers, body: streamedBody(req), signal: whileConnected(res) })
}

async function askApi(
  ports: CallPorts,
  opened: OpenModelApi,
  headers: Headers,
  { req, res, path, requestId }: ProxyRequest,
): Promise<WorkloadAnswer> {
  if (req.method !== 'POST') throw new Failure('method_not_allowed', 'Use POST to call a model.')
  const body = await bufferedBody(req, maxPromptBytes)
  return callModelApi(ports, opened, { requestId, path, headers, body, signal: whileConnected(res) })
}
