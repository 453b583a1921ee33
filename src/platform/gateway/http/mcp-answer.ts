import { randomUUID } from 'node:crypto'
import {
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  type EventStore,
  isLegacyRequest,
  type Server,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import type { Request, Response } from 'express'
import { describeError, type Log } from '../../../kit/process/log.ts'
import { type Client, declaredBy } from '../domain/clients/declared.ts'
import type { McpEvents, OpenMcp } from '../domain/mcp.ts'
import {
  badRequest,
  type CallsUnderWay,
  callKey,
  callsTool,
  declaredIn,
  endAfter,
  messagesOf,
  requestsIn,
} from './mcp-messages.ts'
import { mcpServer } from './mcp-server.ts'
import { sendWebResponse, webHead, webRequest } from './web-exchange.ts'

type Needs = {
  mcpEvents: McpEvents
  keep(bytes: number): (() => void) | undefined
  underWay: CallsUnderWay
  maxMs: number
  log: Log<'mcp_event.unstored' | 'tool.failed'>
}

/** A tool call in a session is a stored stream: a lost connection does not cancel it (MCP, transports). */
export async function answerPost(needs: Needs, mcp: OpenMcp, client: Client | undefined, req: Request, res: Response) {
  const messages = messagesOf(req.body)
  const session = client?.session
  const { cards } = client?.declares ?? declaredIn(messages)
  const server = mcpServer(mcp, needs.log, { session: client, cards })
  const close = () => void server.close()
  // The library leaves the response open when its transport closes.
  const clear = endAfter(res, needs.maxMs, close)
  const keys: string[] = []
  server.onclose = () => {
    clear()
    for (const key of keys) needs.underWay.delete(key)
  }
  if (session === undefined || !callsTool(messages)) {
    res.once('close', close)
    return handle(server, new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true }), req, res)
  }
  keys.push(...requestsIn(messages).map(({ id }) => callKey(session, id)))
  const done = () => void setImmediate(close)
  for (const key of keys) needs.underWay.set(key, done)
  // If the library rejects the request, there is no last event.
  res.once('finish', done)
  const eventStore = keptEvents(needs, session, keys.length, done)
  return handle(server, new WebStandardStreamableHTTPServerTransport({ eventStore, retryInterval: 500 }), req, res)
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

/** A client that resumes must get an answer, or it would wait forever. */
const notKept = (message: object): string =>
  'id' in message && message.id !== undefined
    ? JSON.stringify({ jsonrpc: '2.0', id: message.id, error: { code: badRequest, message: notKeptWords } })
    : JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: notKeptWords } })

const notKeptWords = 'This message was not stored for replay: the workspace has too many stored responses.'

/** Writes in the background: connected clients don't wait for the database, reconnecting ones poll. */
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

export const isOfSessions = (req: Request): Promise<boolean> => isLegacyRequest(webHead(req), req.body ?? null)

/**
 * Protocol 2026-07-28: no sessions, each request is self-contained (MCP, basic protocol). A lost connection cancels the request: without a session the response could not be read later.
 */
export function statelessMcp({ maxMs, log }: Pick<Needs, 'maxMs' | 'log'>) {
  const open = new WeakMap<globalThis.Request, { mcp: OpenMcp; cards: boolean }>()
  const serverFor = (request: globalThis.Request | undefined) => {
    const { mcp, cards } = openOf(open, request)
    return mcpServer(mcp, log, { cards })
  }
  const handler = createMcpHandler(({ requestInfo }) => serverFor(requestInfo), { legacy: 'reject' })
  return async (mcp: OpenMcp, req: Request, res: Response): Promise<void> => {
    const leaving = new AbortController()
    res.once('close', () => leaving.abort())
    const clear = endAfter(res, maxMs, () => leaving.abort())
    const request = webRequest(req, leaving.signal)
    const { cards } = declaredBy(messagesOf(req.body)[0]?.params?._meta?.[CLIENT_CAPABILITIES_META_KEY])
    open.set(request, { mcp, cards })
    await sendWebResponse(await handler.fetch(request, { parsedBody: req.body ?? null }), res)
    clear()
  }
}

function openOf<Opened>(open: WeakMap<globalThis.Request, Opened>, request: globalThis.Request | undefined): Opened {
  const opened = request && open.get(request)
  if (!opened) throw new Error('unknown request')
  return opened
}
