import { randomUUID } from 'node:crypto'
import { type EventStore, type Server, WebStandardStreamableHTTPServerTransport } from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import { describeError, type Log } from '../../../kit/process/log.ts'
import type { McpEvents, OpenMcp } from '../domain/mcp.ts'
import {
  badRequest,
  type CallsUnderWay,
  callKey,
  callsTool,
  messagesOf,
  requestsIn,
  sendRpcError,
} from './mcp-messages.ts'
import { mcpServer } from './mcp-server.ts'
import { sendWebResponse, webRequest } from './web-exchange.ts'

type Needs = {
  mcpEvents: McpEvents
  /** See `HeldAnswers`. */
  keep(bytes: number): (() => void) | undefined
  underWay: CallsUnderWay
  longestMs: number
  log: Log<'mcp_event.unstored' | 'tool.failed'>
}

/**
 * Answers one POST. Quick things are answered as plain JSON. A tool call inside a session is answered as a stream whose
 * events are kept: losing the connection is no cancellation there (MCP, transports), so the call goes on without it.
 */
export async function answerPost(needs: Needs, mcp: OpenMcp, session: string | undefined, req: Request, res: Response) {
  const messages = messagesOf(req.body)
  const server = mcpServer(mcp, needs.log, session)
  const close = () => void server.close()
  const limit = setTimeout(() => giveUp(res, close), needs.longestMs)
  limit.unref()
  const keys: string[] = []
  server.onclose = () => {
    clearTimeout(limit)
    for (const key of keys) needs.underWay.delete(key)
  }
  if (session === undefined || !callsTool(messages)) {
    res.once('close', close)
    return handle(server, new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }), req, res)
  }
  keys.push(...requestsIn(messages).map(({ id }) => callKey(session, id)))
  const done = () => void setImmediate(close)
  for (const key of keys) needs.underWay.set(key, done)
  // The library may refuse what was sent, and then there is no event that would be the last.
  res.once('finish', done)
  const eventStore = keptEvents(needs, session, keys.length, done)
  return handle(server, new WebStandardStreamableHTTPServerTransport({ eventStore, retryInterval: 500 }), req, res)
}

/** The library's transport leaves the answer open when it is closed: somebody waits for it. */
function giveUp(res: Response, close: () => void): void {
  close()
  if (res.headersSent) res.end()
  else sendRpcError(res, 504, badRequest, 'The answer took too long.')
}

async function handle(
  server: Server,
  transport: WebStandardStreamableHTTPServerTransport,
  req: Request,
  res: Response,
) {
  await server.connect(transport)
  await sendWebResponse(await transport.handleRequest(webRequest(req), { parsedBody: req.body ?? null }), res)
}

/** The client that asks for it again is told, where it would wait for nothing. */
const notKept = (message: object): string =>
  'id' in message && message.id !== undefined
    ? JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: badRequest, message: notKeptWords } })
    : JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: notKeptWords } })

const notKeptWords = 'This message was not stored for replay: the workspace has too many stored answers.'

/**
 * Events are written in the background: a connected client does not wait for the database, and one that reconnects
 * asks until the event is there.
 */
function keptEvents({ mcpEvents, keep, log }: Needs, session: string, requests: number, done: () => void): EventStore {
  const stream = randomUUID()
  let seq = 0
  let owed = requests
  return {
    async storeEvent(_streamId, message) {
      if ('result' in message || 'error' in message) owed--
      const text = JSON.stringify(message)
      const written = keep(Buffer.byteLength(text))
      const event = { seq: seq++, message: written ? text : notKept(message), last: owed === 0 }
      const kept = mcpEvents
        .add(session, stream, event)
        .catch((error) => log('mcp_event.unstored', { code: describeError(error) }))
        .finally(written)
      if (event.last) void kept.finally(done)
      return `${stream}.${event.seq}`
    },
    replayEventsAfter: async () => stream,
  }
}
