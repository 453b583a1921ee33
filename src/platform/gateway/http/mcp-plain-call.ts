// A call of a tool outside a session, which is most of what a function is asked: one message in, one message out.
import {
  isJsonContentType,
  ProtocolError,
  ProtocolErrorCode,
  SUPPORTED_PROTOCOL_VERSIONS,
} from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import type { Log } from '../../../kit/process/log.ts'
import type { OpenMcp } from '../domain/mcp.ts'
import type { Arguments } from '../domain/tool-request.ts'
import { badRequest, sendRpcError } from './mcp-messages.ts'
import { callTool, shownError } from './mcp-server.ts'

export type PlainCall = { id: string | number; params: { name: string; arguments?: Arguments } }

/**
 * The request, if nothing about it needs a decision of the library: it is of the protocol's first age, which says
 * nothing about itself, and it is in order. The library's server and transport cost several times the call; whatever is
 * unusual is left to them, so that refusals stay theirs.
 */
export function plainCall(req: Request): PlainCall | undefined {
  const { accept = '', 'content-type': type, 'mcp-protocol-version': version } = req.headers
  const isUsual =
    accept.includes('application/json') &&
    accept.includes('text/event-stream') &&
    isJsonContentType(type ?? null) &&
    (version === undefined || SUPPORTED_PROTOCOL_VERSIONS.includes(String(version)))
  return isUsual && isCall(req.body) ? req.body : undefined
}

const jsonrpc = '2.0'

const members = new Set(['jsonrpc', 'id', 'method', 'params'])
const parameters = new Set(['name', 'arguments'])

function isCall(body: unknown): body is PlainCall {
  if (!isObject(body)) return false
  const { jsonrpc, id, method, params } = body
  return (
    jsonrpc === '2.0' &&
    (typeof id === 'string' || Number.isSafeInteger(id)) &&
    method === 'tools/call' &&
    Object.keys(body).every((name) => members.has(name)) &&
    isObject(params) &&
    typeof params.name === 'string' &&
    (params.arguments === undefined || isObject(params.arguments)) &&
    Object.keys(params).every((name) => parameters.has(name))
  )
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

type Needs = { longestMs: number; log: Log<'tool.failed'> }

/** Progress and log entries have no place in an answer of plain JSON: as in the library's transport, they are left out. */
export const plainCalls =
  ({ longestMs, log }: Needs) =>
  async (mcp: OpenMcp, { id, params }: PlainCall, res: Response): Promise<void> => {
    const leaving = new AbortController()
    const leave = () => leaving.abort()
    res.once('close', leave)
    const limit = setTimeout(() => {
      leave()
      sendRpcError(res, 504, badRequest, 'The answer took too long.')
    }, longestMs)
    limit.unref()
    const answer = await callTool({ mcp, log }, params, { signal: leaving.signal }).then(
      resultFor(id),
      errorFor(id, log),
    )
    clearTimeout(limit)
    res.off('close', leave)
    if (res.headersSent || res.destroyed) return
    res.setHeader('content-type', 'application/json')
    res.end(JSON.stringify(answer))
  }

/** Before 2026-07-28 what is structured is an object. */
const resultFor = (id: PlainCall['id']) => (result: Record<string, unknown>) => {
  const { structuredContent } = result
  if (structuredContent === undefined || isObject(structuredContent)) return { result, jsonrpc, id }
  const message = 'Invalid tools/call result: structuredContent is not an object.'
  return { error: { code: ProtocolErrorCode.InvalidParams, message }, jsonrpc, id }
}

const errorFor = (id: PlainCall['id'], log: Log<'tool.failed'>) => (thrown: unknown) => {
  const { code, message, data } = thrown instanceof ProtocolError ? thrown : shownError(thrown, log)
  return { error: { code, message, data }, jsonrpc, id }
}
