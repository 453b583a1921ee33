import { Failure } from '../../shared/domain/failure.ts'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { Headers, WorkloadAnswer } from '../domain/workload.ts'
import type { CallModelApi } from '../flows/call-model-api.ts'
import type { OpenModel, OpenModelApi, OpenModelImage } from '../flows/open-model.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { bufferedBody, streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import type { ProxyHandler, ProxyRequest } from './workload-fast-path.ts'

export type ModelFlows = {
  openModel(workspace: string, name: string): Promise<OpenModel>
  callModelApi: CallModelApi
}

/** Prompts carry images and documents. */
const largestPrompt = 32 * 1024 * 1024

/** Models: an image's upstream gets every path below their address, an API what models are asked for. */
export function serveModels({ openModel, callModelApi }: ModelFlows, guards: Guards): ProxyHandler {
  const passing = proxyHeaders(guards.headers)
  return async (request) => {
    const { req, res, workspace, name, always } = request
    const member = await enterGateway(req, guards, { scope: 'models:get', workspace })
    const opened = await openModel(member.workspace, name)
    const headers = passing.forwarded(req.headers)
    const answer =
      'serve' in opened
        ? await askImage(opened, headers, request)
        : await askApi(callModelApi, opened, headers, request)
    sendAnswer(res, answer, passing.answered(answer.headers, always))
  }
}

function askImage({ serve, key }: OpenModelImage, headers: Headers, { req, res, path }: ProxyRequest) {
  if (key !== undefined) headers.authorization = `Bearer ${key}`
  const method = req.method ?? 'GET'
  return serve({ method, path, headers, body: streamedBody(req), signal: whileConnected(res) })
}

async function askApi(
  callModelApi: CallModelApi,
  opened: OpenModelApi,
  headers: Headers,
  { req, res, path, requestId }: ProxyRequest,
): Promise<WorkloadAnswer> {
  if (req.method !== 'POST') throw new Failure('method_not_allowed', 'Models are asked by POST.')
  const body = await bufferedBody(req, largestPrompt)
  return callModelApi(opened, { requestId, path, headers, body, signal: whileConnected(res) })
}
