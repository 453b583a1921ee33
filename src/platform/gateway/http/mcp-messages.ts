import type { Request, Response } from 'express'
import { McpSessionId, plainHeaders } from '../../../contract/headers.ts'
import { type Declared, declaredBy } from '../domain/clients/declared.ts'

type Message = {
  id?: unknown
  method?: unknown
  params?: {
    requestId?: unknown
    name?: unknown
    arguments?: unknown
    capabilities?: unknown
    _meta?: Record<string, unknown>
  }
}

export const messagesOf = (body: unknown): Message[] =>
  [body].flat().filter((message): message is Message => typeof message === 'object' && message !== null)

export const opensSession = (messages: Message[]): boolean => messages.some(({ method }) => method === 'initialize')

export const declaredIn = (messages: Message[]): Declared =>
  declaredBy(messages.find(({ method }) => method === 'initialize')?.params?.capabilities)

export const callsTool = (messages: Message[]): boolean => messages.some(({ method }) => method === 'tools/call')

export const subscribes = (messages: Message[]): boolean =>
  messages.some(({ method }) => method === 'subscriptions/listen')

export const requestsIn = (messages: Message[]): Message[] =>
  messages.filter(({ id, method }) => id !== undefined && method !== undefined)

/** Responses of a client to requests of ours. */
export const answersIn = (messages: Message[]): Message[] =>
  messages
    .filter((message) => message.id !== undefined && ('result' in message || 'error' in message))
    .slice(0, maxAnswers)

const maxAnswers = 8

export const cancelledIn = (messages: Message[]): unknown[] =>
  messages.flatMap(({ method, params }) => (method === 'notifications/cancelled' ? [params?.requestId] : []))

export const sessionIdOf = (req: Request): string | undefined => req.get(plainHeaders.mcpSessionId)

export const isSessionId = (text: string): boolean => McpSessionId.safeParse(text).success

export function sendRpcError(res: Response, status: number, code: number, message: string): void {
  res.status(status).json({ jsonrpc: '2.0', error: { code, message }, id: null })
}

/** Stops the work and ends the response after `maxMs`. Returns a function that clears the timer. */
export function endAfter(res: Response, maxMs: number, stop: () => void): () => void {
  const expire = () => {
    stop()
    if (res.headersSent) res.end()
    else sendRpcError(res, 504, badRequest, 'The request timed out.')
  }
  const timer = setTimeout(expire, maxMs).unref()
  return () => clearTimeout(timer)
}

export const sessionNotFound = -32_001
export const badRequest = -32_000

export type CallsUnderWay = Map<string, () => void>

export const callKey = (session: string, requestId: unknown): string => `${session}|${JSON.stringify(requestId)}`
