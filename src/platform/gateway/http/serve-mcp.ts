import { randomUUID } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { plainHeaders } from '../../../contract/headers.ts'
import { lazy } from '../../../kit/cache/lazy.ts'
import { isUtf8, readJson } from '../../../kit/http/json-body.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Log } from '../../../kit/process/log.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { assertBodyWithin } from '../../shared/http/body-limits.ts'
import type { Guards } from '../../shared/http/operation.ts'
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
import { heldAnswers } from './streams/held-answers.ts'
import { type EnterAgain, endWhenRevoked } from './streams/sse.ts'

export type ServeMcp = (target: McpTarget, entry: Entry, mcp: OpenMcp, req: Request, res: Response) => Promise<void>

/** Who was let in, and the way to ask whether they still would be. */
type Entry = { member: Member; enterAgain: EnterAgain }

type Needs = {
  countMore: Guards['countMore']
  mcpSessions: McpSessions
  mcpEvents: McpEvents
  /** A session has ended, so whatever was opened elsewhere for it can go. */
  onSessionEnd(session: string): Promise<void>
  longestMs: number
  log: Log<'mcp_event.unstored' | 'tool.failed'>
}

/**
 * One MCP endpoint: the methods of the transport, with sessions that any process can serve, and requests of the newer
 * protocol that have none. What needs the protocol's library, which is large, is loaded by the first call and not by
 * the start.
 */
export function serveMcp(needs: Needs): ServeMcp {
  const { countMore, mcpSessions, mcpEvents, onSessionEnd, longestMs, log } = needs
  const underWay: CallsUnderWay = new Map()
  const held = heldAnswers(mcpEvents.keptMs)
  const streams = openStreams()
  const library = lazy(async () => {
    const [{ plainCall, plainCalls }, { isOfSessions, statelessMcp }] = await Promise.all([
      import('./mcp-plain-call.ts'),
      import('./mcp-stateless.ts'),
    ])
    const needs = { longestMs, log }
    return { plainCall, answerPlainCall: plainCalls(needs), isOfSessions, answer: statelessMcp(needs) }
  })
  return async (target, { member: { caller }, enterAgain }, open, req, res) => {
    const mcp = held.bounded(target.workspace, open, res)
    const owner = { ...target, caller: caller.id }
    const given = sessionIdOf(req)
    if (req.method === 'POST') return post()
    if (given === undefined || !['GET', 'DELETE'].includes(req.method)) return sendMethodNotAllowed(res)
    if (!(await isKnown(given))) return sendSessionNotFound(res)
    if (req.method === 'GET') {
      if (!streams.enter([given, caller.credential], res)) return sendTooManyStreams(res)
      endWhenRevoked(res, () => enterAgain().then(() => assertKnown(given)))
      const { answerGet } = await import('./streams/mcp-listen.ts')
      return answerGet({ mcpEvents, longestMs }, given, req, res)
    }
    await mcpSessions.end(given, owner)
    await onSessionEnd(given)
    res.status(200).end()

    async function post(): Promise<void> {
      await beginBody(req, res)
      countBatch()
      assertMayCall(caller, mcp, req.body)
      const { plainCall, answerPlainCall, isOfSessions, answer } = await library()
      const call = given === undefined ? plainCall(req) : undefined
      if (call) return answerPlainCall(mcp, call, res)
      if (await isOfSessions(req)) return postInSession()
      if (subscribes(messagesOf(req.body)) && !openSubscription()) return sendTooManyStreams(res)
      return answer(mcp, req, res)
    }

    function openSubscription(): boolean {
      const isOpen = streams.enter([JSON.stringify(owner), caller.credential], res)
      if (isOpen) endWhenRevoked(res, enterAgain)
      return isOpen
    }

    /** A batch is as many requests as it has messages; the library takes no more than a hundred. */
    function countBatch(): void {
      const more = messagesOf(req.body).length - 1
      if (more > 0 && more < mostInBatch) countMore(caller, more)
    }

    async function postInSession(): Promise<void> {
      if (given !== undefined && !(await isKnown(given))) return sendSessionNotFound(res)
      const session = given ?? (opensSession(messagesOf(req.body)) ? await newSession() : undefined)
      if (session !== undefined) cancel(underWay, session, req.body)
      const { answerPost } = await import('./mcp-answer.ts')
      const keep = (bytes: number) => held.keep(target.workspace, bytes)
      return answerPost({ mcpEvents, keep, underWay, longestMs, log }, mcp, given, req, res)
    }

    async function isKnown(session: string): Promise<boolean> {
      return isSessionId(session) && (await mcpSessions.isOpen(session, owner))
    }

    async function assertKnown(session: string): Promise<void> {
      if (!(await isKnown(session))) throw new Failure('resource_unknown', 'The session has ended.')
    }

    async function newSession(): Promise<string> {
      const id = randomUUID()
      await mcpSessions.add(id, owner)
      res.set(plainHeaders.mcpSessionId, id)
      return id
    }
  }
}

const sendSessionNotFound = (res: Response) => sendRpcError(res, 404, sessionNotFound, 'Session not found')

const mostInBatch = 100

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

const tooManyStreams = `Too many open streams: at most ${mostStreams.session} of one session and ${mostStreams.credential} of one credential. Close some of them first, or try again in 30 s.`

function sendTooManyStreams(res: Response): void {
  res.set('Retry-After', '30')
  sendRpcError(res, 429, -32_000, tooManyStreams)
}

const largestBody = 1024 * 1024
const parseJson = express.json({ limit: largestBody })

const bodies = new WeakMap<Request, Promise<void>>()

/** Begun early, it arrives while something else is waited for; whoever serves the request is told what is wrong with it. */
export function beginBody(req: Request, res: Response): Promise<void> {
  const body = bodies.get(req) ?? readBody(req, res)
  bodies.set(req, body)
  body.catch(ignoreError('the step that serves the request waits for it as well'))
  return body
}

/** The framework's parser takes more forms of a body than clients send, and has its price. */
async function readBody(req: Request, res: Response): Promise<void> {
  assertBodyWithin(req, largestBody)
  if (isPlainJson(req)) {
    req.body = await readJson(req, largestBody)
    return
  }
  await new Promise<void>((resolve, reject) =>
    parseJson(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  )
}

const isPlainJson = ({ headers: { 'content-type': type, 'content-encoding': encoding } }: Request): boolean =>
  encoding === undefined && /^application\/json *(;|$)/i.test(type ?? '') && isUtf8(type)

function cancel(underWay: CallsUnderWay, session: string, body: unknown): void {
  for (const requestId of cancelledIn(messagesOf(body))) underWay.get(callKey(session, requestId))?.()
}

/** Without a session there is nothing to listen to and nothing to end. */
function sendMethodNotAllowed(res: Response): void {
  res.set('Allow', 'POST')
  sendRpcError(res, 405, -32_000, 'Method not allowed.')
}
