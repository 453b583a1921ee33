import { randomUUID } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { plainHeaders } from '../../../contract/headers.ts'
import { lazy } from '../../../kit/cache/lazy.ts'
import type { Log } from '../../../kit/process/log.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { assertBodyWithin } from '../../shared/http/body-limits.ts'
import type { McpEvents, McpSessions, McpTarget, OpenMcp } from '../domain/mcp.ts'
import { assertMayCall } from './mcp-access.ts'
import {
  type CallsUnderWay,
  callKey,
  cancelledIn,
  isSessionId,
  messagesOf,
  opensSession,
  sendRpcError,
  sessionIdOf,
  sessionNotFound,
  subscribes,
} from './mcp-messages.ts'

export type ServeMcp = (target: McpTarget, member: Member, mcp: OpenMcp, req: Request, res: Response) => Promise<void>

type Needs = {
  mcpSessions: McpSessions
  mcpEvents: McpEvents
  longestMs: number
  log: Log<'mcp_event.unstored' | 'tool.failed'>
}

/**
 * One MCP endpoint: the methods of the transport, with sessions that any process can serve, and requests of the newer
 * protocol that have none. What needs the protocol's library, which is large, is loaded by the first call and not by
 * the start.
 */
export function serveMcp({ mcpSessions, mcpEvents, longestMs, log }: Needs): ServeMcp {
  const underWay: CallsUnderWay = new Map()
  const streams = openStreams()
  const stateless = lazy(async () => {
    const { isOfSessions, statelessMcp } = await import('./mcp-stateless.ts')
    return { isOfSessions, answer: statelessMcp({ longestMs, log }) }
  })
  return async (target, { caller }, mcp, req, res) => {
    const owner = { ...target, caller: caller.id }
    const given = sessionIdOf(req)
    if (req.method === 'POST') return post()
    if (given === undefined || !['GET', 'DELETE'].includes(req.method)) return sendMethodNotAllowed(res)
    if (!(await isKnown(given))) return sendSessionNotFound(res)
    if (req.method === 'GET') {
      if (!streams.enter([given, caller.credential], res)) return sendTooManyStreams(res)
      const { answerGet } = await import('./mcp-listen.ts')
      return answerGet({ mcpEvents, longestMs }, given, req, res)
    }
    await mcpSessions.end(given, owner)
    res.status(200).end()

    async function post(): Promise<void> {
      await readBody(req, res)
      assertMayCall(caller, mcp, req.body)
      const { isOfSessions, answer } = await stateless()
      if (await isOfSessions(req)) return postInSession()
      const stream: [string, string] = [JSON.stringify(owner), caller.credential]
      if (subscribes(messagesOf(req.body)) && !streams.enter(stream, res)) return sendTooManyStreams(res)
      return answer(mcp, req, res)
    }

    async function postInSession(): Promise<void> {
      if (given !== undefined && !(await isKnown(given))) return sendSessionNotFound(res)
      const session = given ?? (opensSession(messagesOf(req.body)) ? await open() : undefined)
      if (session !== undefined) cancel(underWay, session, req.body)
      const { answerPost } = await import('./mcp-answer.ts')
      return answerPost({ mcpEvents, underWay, longestMs, log }, mcp, given, req, res)
    }

    async function isKnown(session: string): Promise<boolean> {
      return isSessionId(session) && (await mcpSessions.isOpen(session, owner))
    }

    async function open(): Promise<string> {
      const id = randomUUID()
      await mcpSessions.add(id, owner)
      res.set(plainHeaders.mcpSessionId, id)
      return id
    }
  }
}

const sendSessionNotFound = (res: Response) => sendRpcError(res, 404, sessionNotFound, 'Session not found')

const mostStreams = { session: 8, credential: 200 }

/** A stream costs a socket for as long as it is open, so nobody has many: clients open one for each session. */
function openStreams() {
  const open = new Map<string, number>()
  const count = (key: string, change: number) => {
    const now = (open.get(key) ?? 0) + change
    if (now > 0) open.set(key, now)
    else open.delete(key)
  }
  return {
    enter([session, credential]: [string, string], res: Response): boolean {
      const isFull =
        (open.get(session) ?? 0) >= mostStreams.session || (open.get(credential) ?? 0) >= mostStreams.credential
      if (isFull) return false
      for (const key of [session, credential]) count(key, 1)
      res.once('close', () => {
        for (const key of [session, credential]) count(key, -1)
      })
      return true
    },
  }
}

function sendTooManyStreams(res: Response): void {
  res.set('Retry-After', '30')
  sendRpcError(res, 429, -32_000, 'Too many open streams: close some of them first.')
}

const largestBody = 1024 * 1024
const parseJson = express.json({ limit: largestBody })

function readBody(req: Request, res: Response): Promise<void> {
  assertBodyWithin(req, largestBody)
  return new Promise((resolve, reject) => parseJson(req, res, (error?: unknown) => (error ? reject(error) : resolve())))
}

function cancel(underWay: CallsUnderWay, session: string, body: unknown): void {
  for (const requestId of cancelledIn(messagesOf(body))) underWay.get(callKey(session, requestId))?.()
}

/** Without a session there is nothing to listen to and nothing to end. */
function sendMethodNotAllowed(res: Response): void {
  res.set('Allow', 'POST')
  sendRpcError(res, 405, -32_000, 'Method not allowed.')
}
