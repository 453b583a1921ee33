import type { Request, Response } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Caller } from '../../shared/domain/caller.ts'
import { isForCanary } from '../domain/divided-requests.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { Headers, WorkloadAnswer } from '../domain/workload.ts'
import type { FunctionImage } from '../flows/servers/open-function-image.ts'
import { assertMayCall } from './mcp-access.ts'
import { proxyHeaders } from './proxy-headers.ts'
import { sendAnswer, whileConnected } from './send-answer.ts'
import { beginBody, sendMethodNotAllowed, sendSessionNotFound, textOfBody } from './serve-mcp.ts'
import { type EnterAgain, endWhenRevoked } from './streams/sse.ts'

type Parts = {
  headers: BrandedHeaders
  openImage(workspace: string, name: string): Promise<FunctionImage>
}

type Asked = { caller: Caller; workspace: string; mcp: OpenMcp; enterAgain: EnterAgain }

const header = 'mcp-session-id'

/**
 * Passes messages on to the MCP server of an image. A session belongs to a container, which its ID names. A GET would hold
 * a connection to the container open, so it is declined, as the transport allows (MCP 2025-11-25, "Transports").
 */
export function serveMcpImage({ headers: branded, openImage }: Parts) {
  const passing = proxyHeaders(branded)
  return async ({ caller, workspace, mcp, enterAgain }: Asked, req: Request, res: Response): Promise<void> => {
    if (req.method !== 'POST' && req.method !== 'DELETE') return sendMethodNotAllowed(res)
    if (req.method === 'POST') await beginBody(req, res)
    assertMayCall(caller, mcp, req.body)
    const opened = await openImage(workspace, mcp.name)
    const headers = passing.forwarded(req.headers)
    const session = placeOf(opened, headers)
    if (!session) return sendSessionNotFound(res)
    endWhenRevoked(res, enterAgain)
    const body = req.method === 'POST' ? textOfBody(req) : null
    delete headers['content-encoding'] // it was decoded here
    if (body !== null) headers['content-length'] = String(Buffer.byteLength(body))
    const { serve, container, revision } = session
    const path = `/mcp${req.url.replace(/^[^?]*/, '')}`
    const answer = await serve({ method: req.method, path, headers, body, container, signal: whileConnected(res) })
    sendAnswer(res, answer, passing.answered(named(answer, revision), res.getHeaders() as Headers))
  }
}

/** Undefined if the session's container gets no requests any more. */
function placeOf(opened: FunctionImage, headers: Headers) {
  const given = headers[header]
  const { canary, workload } = opened
  if (given === undefined) return isForCanary(workload, {}, Math.random()) && canary ? at(canary) : at(opened)
  const [, container = '', session = ''] = /^([0-9a-f-]{36,40})\.(.+)$/.exec(String(given)) ?? []
  const revision = container.slice(0, workload.id.length)
  const part = [opened, canary].find((each) => each?.workload.revision === revision)
  if (!part) return undefined
  headers[header] = session
  return { serve: part.serve, container, revision }
}

const at = ({ serve, workload: { revision } }: Pick<FunctionImage, 'serve' | 'workload'>) => ({
  ...{ serve, revision, container: undefined },
})

function named({ headers, container }: WorkloadAnswer, revision: string): Headers {
  const session = headers[header]
  return session === undefined ? headers : { ...headers, [header]: `${container ?? revision}.${session}` }
}
