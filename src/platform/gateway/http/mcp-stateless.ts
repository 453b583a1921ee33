// Protocol 2026-07-28: no sessions, every request says for itself what it is (MCP, basic protocol).
import { createMcpHandler, isLegacyRequest } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import type { Log } from '../../../kit/process/log.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import { badRequest, sendRpcError } from './mcp-messages.ts'
import { mcpServer } from './mcp-server.ts'
import { sendWebResponse, webHead, webRequest } from './web-exchange.ts'

type Needs = { longestMs: number; log: Log<'tool.failed'> }

export type AnswerStateless = ReturnType<typeof statelessMcp>

/** Whether a request is of the protocol's first age, which had sessions: the library decides, so both ages agree. */
export const isOfSessions = (req: Request): Promise<boolean> => isLegacyRequest(webHead(req), req.body ?? null)

/** Losing the connection cancels a request of this age: there is no session in which its answer could be read later. */
export function statelessMcp({ longestMs, log }: Needs) {
  const open = new WeakMap<globalThis.Request, OpenMcp>()
  const handler = createMcpHandler(({ requestInfo }) => mcpServer(openOf(open, requestInfo), log), { legacy: 'reject' })
  return async (mcp: OpenMcp, req: Request, res: Response): Promise<void> => {
    const leaving = new AbortController()
    res.once('close', () => leaving.abort())
    const limit = setTimeout(() => {
      leaving.abort()
      if (res.headersSent) res.end()
      else sendRpcError(res, 504, badRequest, 'The answer took too long.')
    }, longestMs)
    limit.unref()
    const request = webRequest(req, leaving.signal)
    open.set(request, mcp)
    await sendWebResponse(await handler.fetch(request, { parsedBody: req.body ?? null }), res)
    clearTimeout(limit)
  }
}

function openOf(open: WeakMap<globalThis.Request, OpenMcp>, request: globalThis.Request | undefined): OpenMcp {
  const mcp = request && open.get(request)
  if (!mcp) throw new Error('the library was given a request that is not ours')
  return mcp
}
