// What a login lends to a call that goes around the library's client: its address, its token, and its place among the
// messages of the server.
import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  type Client,
  type JSONRPCMessage,
  PROTOCOL_VERSION_META_KEY,
  parseJSONRPCMessage,
  type StreamableHTTPClientTransport,
} from '@modelcontextprotocol/client'
import { ignoreError } from '../../../../kit/process/ignore-error.ts'
import type { JsonObject } from '../../domain/vendor/vendor-mcp.ts'
import type { DirectPost, RunningPost } from './direct-post.ts'

/** Whom servers see. Nothing is declared that they could ask for: nobody sits here who could answer. */
export const clientInfo = { name: 'causeway', version: '1.0.0' }
export const clientCapabilities = {}

/** `renew`: the token that was given last is not taken any more. */
export type LineGrant = { token(): Promise<string>; renew(): Promise<void> }

export type Response = { id: number | string } & ({ result: JsonObject } | { error: { code: number; message: string } })

export type DirectLine = {
  isModern(): boolean
  newId(): number
  /** With what the newer protocol says in each message. */
  envelope(): JsonObject
  token: LineGrant['token']
  renew: LineGrant['renew']
  post(message: { body: string; token: string; headers: Record<string, string> }): RunningPost
  /** Tells whoever waits for the answer to this id, until `forget`. */
  expect(id: number, listener: (response: Response) => void): void
  forget(id: number): void
  isExpected(id: number): boolean
  /** Whether a message is the answer to a call that went this way. */
  take(message: JSONRPCMessage): boolean
  /** Whatever the server sent: an answer that is expected, or a message for the library. */
  receive(message: unknown): void
  /** Asks for the rest of an answer; the library reads it. */
  readOn(lastEventId: string): Promise<void>
  /** Before 2026-07-28: the server is told. Since then it sees that the connection is gone. */
  cancel(id: number, reason: string): void
}

type Parts = { url: URL; client: Client; transport: StreamableHTTPClientTransport; grant: LineGrant; post: DirectPost }

/** Above all that the library gives: it counts from 0, for each login. */
const firstId = 1_000_000_000

export function directLine({ url, client, transport, grant, post }: Parts): DirectLine {
  const expected = new Map<number, (response: Response) => void>()
  let last = firstId
  const isModern = () => client.getProtocolEra() === 'modern'
  const version = () => client.getNegotiatedProtocolVersion() ?? ''
  const deliver = (message: JSONRPCMessage) => transport.onmessage?.(message)
  const line: DirectLine = {
    isModern,
    newId: () => ++last,
    envelope: () => ({
      [PROTOCOL_VERSION_META_KEY]: version(),
      [CLIENT_INFO_META_KEY]: clientInfo,
      [CLIENT_CAPABILITIES_META_KEY]: clientCapabilities,
    }),
    token: grant.token,
    renew: grant.renew,
    post: ({ body, token, headers }) =>
      post(url, {
        headers: {
          ...headers,
          authorization: `Bearer ${token}`,
          'content-type': 'application/json',
          accept: 'application/json, text/event-stream',
          'mcp-protocol-version': version(),
          ...(transport.sessionId !== undefined && { 'mcp-session-id': transport.sessionId }),
        },
        body,
        onData: (data) => receiveText(line, data),
      }),
    expect: (id, listener) => void expected.set(id, listener),
    forget: (id) => void expected.delete(id),
    isExpected: (id) => expected.has(id),
    take(message) {
      const listener = isResponse(message) ? expected.get(Number(message.id)) : undefined
      listener?.(message as Response)
      return listener !== undefined
    },
    receive(message) {
      const isOurs = isResponse(message) && expected.has(Number(message.id))
      deliver(isOurs ? (message as unknown as JSONRPCMessage) : parseJSONRPCMessage(message))
    },
    readOn: (lastEventId) => transport.resumeStream(lastEventId),
    cancel(id, reason) {
      if (isModern()) return
      const cancelled = { method: 'notifications/cancelled' as const, params: { requestId: id, reason } }
      client.notification(cancelled).catch(ignoreError('nobody waits for the answer'))
    },
  }
  return line
}

/** An event that is no message is left out, as the library does. */
function receiveText(line: DirectLine, data: string): void {
  try {
    line.receive(JSON.parse(data))
  } catch {
    // Whoever waits for an answer is told when the stream ends without one.
  }
}

function isResponse(message: unknown): message is Response {
  if (typeof message !== 'object' || message === null || 'method' in message) return false
  const { jsonrpc, id, result, error } = message as Record<string, unknown>
  // As in the library, an id that comes back as text is the same one.
  const isId = typeof id === 'number' || typeof id === 'string'
  return jsonrpc === '2.0' && isId && isObject(result) !== isError(error)
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

function isError(error: unknown): boolean {
  const { code, message } = Object(error)
  return Number.isSafeInteger(code) && typeof message === 'string'
}
