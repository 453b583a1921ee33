// What a request of the transport carries, read far enough to decide how to answer it.
import type { Request, Response } from 'express'
import { McpSessionId, plainHeaders } from '../../../contract/headers.ts'

type Message = { id?: unknown; method?: unknown; params?: { requestId?: unknown; name?: unknown; arguments?: unknown } }

export const messagesOf = (body: unknown): Message[] =>
  [body].flat().filter((message): message is Message => typeof message === 'object' && message !== null)

export const opensSession = (messages: Message[]): boolean => messages.some(({ method }) => method === 'initialize')

export const callsTool = (messages: Message[]): boolean => messages.some(({ method }) => method === 'tools/call')

/** Asks for a stream that stays open (2026-07-28). */
export const subscribes = (messages: Message[]): boolean =>
  messages.some(({ method }) => method === 'subscriptions/listen')

/** Those that an answer is owed to. */
export const requestsIn = (messages: Message[]): Message[] =>
  messages.filter(({ id, method }) => id !== undefined && method !== undefined)

/** Requests that the client does not want an answer to any more. */
export const cancelledIn = (messages: Message[]): unknown[] =>
  messages.flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params?.requestId] : []))

export const sessionIdOf = (req: Request): string | undefined => req.get(plainHeaders.mcpSessionId)

/** No other text can be the id of a session: nobody needs to be asked. */
export const isSessionId = (text: string): boolean => McpSessionId.safeParse(text).success

/** The transport's own errors are JSON-RPC ones: clients of the protocol read nothing else. */
export function sendRpcError(res: Response, status: number, code: number, message: string): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null })
}

export const sessionNotFound = -32_001
export const badRequest = -32_000

/** Calls that run, so that a later request can cancel one. */
export type CallsUnderWay = Map<string, () => void>

export const callKey = (session: string, requestId: unknown): string => `${session}|${typeof requestId}|${requestId}`
