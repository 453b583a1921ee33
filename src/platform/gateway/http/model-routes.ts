import { Router } from 'express'
import { enterGateway } from '../../shared/http/enter-gateway.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { OpenModel } from '../flows/open-model.ts'
import { forwardedHeaders } from './proxy-headers.ts'
import { streamedBody } from './request-body.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import { subPath } from './sub-path.ts'

export type ModelFlows = { openModel(workspace: string, name: string): Promise<OpenModel> }

/** Models: every path below their address goes to the upstream, with the key of their connection. */
export function modelRoutes({ openModel }: ModelFlows, guards: Guards): Router {
  return Router().all(['/:workspace/models/:name', '/:workspace/models/:name/*path'], async (req, res) => {
    const { workspace } = await enterGateway(req, guards, 'models:get', String(req.params.workspace))
    const { serve, key } = await openModel(workspace, String(req.params.name))
    const headers = forwardedHeaders(req, guards.headers)
    if (key !== undefined) headers.authorization = `Bearer ${key}`
    const body = streamedBody(req)
    const answer = await serve({ method: req.method, path: subPath(req), headers, body, signal: whileConnected(res) })
    await sendAnswer(req, res, answer, guards.headers)
  })
}
