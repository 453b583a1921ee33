import { randomUUID } from 'node:crypto'
import express, { type Request, type Response } from 'express'
import { plainHeaders } from '../../../contract/headers.ts'
import { lazy } from '../../../kit/cache/lazy.ts'
import { isUtf8, readJson, UnusableBody } from '../../../kit/http/json-body.ts'
import { ignoreError } from '../../../kit/process/ignore-error.ts'
import type { Log } from '../../../kit/process/log.ts'
import type { Member } from '../../shared/domain/caller.ts'
import { Failure } from '../../shared/domain/failure.ts'
import { assertBodyWithin } from '../../shared/http/body-limits.ts'
import type { Guards } from '../../shared/http/operation.ts'
import type { Client } from '../domain/clients/declared.ts'
import { type AwaitedInputs, answerInSession } from '../domain/clients/inputs.ts'
import type { McpEvents, McpSessions, McpTarget, OpenMcp } from '../domain/mcp.ts'
import { assertMayCall } from './mcp-access.ts'
import {
  answersIn,
  type CallsUnderWay,
  callKey,
  cancelledIn,
  declaredIn,
  isSessionId,
  messagesOf,
  opensSession,
  sendRpcError,
  sessionIdOf,
  sessionNotFound,
  subscribes,
} from './mcp-messages.ts'
import type { Completions } from './streams/completions.ts'
import { heldAnswers } from './streams/held-answers.ts'
import { type EnterAgain, endWhenRevoked } from './streams/sse.ts'

export type ServeMcp = (target: McpTarget, entry: Entry, mcp: OpenMcp, req: Request, res: Response) => Promise<void>

type Entry = { member: Member; enterAgain: EnterAgain }

type Needs = {
  countMore: Guards['countMore']
  mcpSessions: McpSessions
  mcpEvents: McpEvents
  completions: Completions
  onSessionEnd(session: string): Promise<void>
  maxMs: number
  log: Log<'mcp_event.unstored' | 'tool.failed'>
  awaitedInputs: Pick<AwaitedInputs, 'answer'>
}

/** Serves the protocol with and without sessions. The large MCP library is loaded by the first call. */
export function serveMcp(needs: Needs): ServeMcp {
  const { countMore, mcpSessions, mcpEvents, completions, onSessionEnd, maxMs, log, awaitedInputs } = needs
  const underWay: CallsUnderWay = new Map()
  const held = heldAnswers(mcpEvents.keptMs)
  const streams = openStreams()
  const library = lazy(async () => {
    const { answerPost, isOfSessions, statelessMcp } = await import('./mcp-answer.ts')
    return { answerPost, isOfSessions, answer: statelessMcp({ maxMs, log }) }
  })
  return async (target, { member: { caller }, enterAgain }, open, req, res) => {
    const mcp = held.bounded(target.workspace, open, res)
    const owner = { ...target, caller: caller.id }
    const given = sessionIdOf(req)
    if (req.method === 'POST') return post()
    if (given === undefined || !['GET', 'DELETE'].includes(req.method)) return sendMethodNotAllowed(res)
    if (!(await find(given))) return sendSessionNotFound(res)
    if (req.method === 'GET') {
      if (!streams.enter([given, caller.credential], res)) return sendTooManyStreams(res)
      endWhenRevoked(res, () => enterAgain().then(() => assertKnown(given)))
      const { answerGet } = await import('./streams/mcp-listen.ts')
      return answerGet({ mcpEvents, completions, maxMs }, given, req, res)
    }
    await mcpSessions.end(given, owner)
    await onSessionEnd(given)
    res.status(200).end()

    async function post(): Promise<void> {
      await beginBody(req, res)
      countBatch()
      assertMayCall(caller, mcp, req.body)
      const { isOfSessions, answer } = await library()
      if (await isOfSessions(req)) return postInSession()
      if (subscribes(messagesOf(req.body)) && !openSubscription()) return sendTooManyStreams(res)
      return answer(mcp, req, res)
    }

    function openSubscription(): boolean {
      const isOpen = streams.enter([JSON.stringify(owner), caller.credential], res)
      if (isOpen) endWhenRevoked(res, enterAgain)
      return isOpen
    }

    /** Each message of a batch counts as a request. The library rejects batches of more than 100. */
    function countBatch(): void {
      const more = messagesOf(req.body).length - 1
      if (more > 0 && more < maxBatch) countMore(caller, more)
    }

    async function postInSession(): Promise<void> {
      const client = given === undefined ? undefined : await find(given)
      if (given !== undefined && !client) return sendSessionNotFound(res)
      const session = given ?? (opensSession(messagesOf(req.body)) ? await newSession() : undefined)
      if (session !== undefined) await heed(session)
      const { answerPost } = await library()
      const keep = (bytes: number) => held.keep(target.workspace, bytes)
      return answerPost({ mcpEvents, keep, underWay, maxMs, log }, mcp, client, req, res)
    }

    async function heed(session: string): Promise<void> {
      cancel(underWay, session, req.body)
      for (const answer of answersIn(messagesOf(req.body)))
        await awaitedInputs.answer(answerInSession(session, answer.id), answer)
    }

    async function find(session: string): Promise<Client | undefined> {
      const declares = isSessionId(session) ? await mcpSessions.find(session, owner) : undefined
      return declares && { declares, session }
    }

    async function assertKnown(session: string): Promise<void> {
      if (!(await find(session))) throw new Failure('resource_unknown', 'The session has ended.')
    }

    async function newSession(): Promise<string> {
      const id = randomUUID()
      await mcpSessions.add(id, owner, declaredIn(messagesOf(req.body)))
      res.set(plainHeaders.mcpSessionId, id)
      return id
    }
  }
}

export const sendSessionNotFound = (res: Response) => sendRpcError(res, 404, sessionNotFound, 'Session not found')

const maxBatch = 100

const maxStreams = { session: 8, credential: 200 }

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
        (open.get(session) ?? 0) >= maxStreams.session || (open.get(credential) ?? 0) >= maxStreams.credential
      if (isFull) return false
      for (const key of [session, credential]) count(key, 1)
      res.once('close', () => {
        for (const key of [session, credential]) count(key, -1)
      })
      return true
    },
  }
}

const tooManyStreams = `Too many open streams: at most ${maxStreams.session} per session and ${maxStreams.credential} per credential. Close some, or try again in 30 s.`

function sendTooManyStreams(res: Response): void {
  res.set('Retry-After', '30')
  sendRpcError(res, 429, -32_000, tooManyStreams)
}

const maxBodyBytes = 1024 * 1024
const parseJson = express.json({ limit: maxBodyBytes })

const bodies = new WeakMap<Request, Promise<void>>()
const texts = new WeakMap<Request, string>()

/** As it was sent, because numbers lose digits when they are parsed. */
export const textOfBody = (req: Request): string => texts.get(req) ?? JSON.stringify(req.body)

/** Starts reading early, in parallel with other work. The later call gets the error. */
export function beginBody(req: Request, res: Response): Promise<void> {
  const body = bodies.get(req) ?? readBody(req, res)
  bodies.set(req, body)
  body.catch(ignoreError('serving the request reports it'))
  return body
}

/** Express' parser accepts more formats and is slower. */
async function readBody(req: Request, res: Response): Promise<void> {
  assertBodyWithin(req, maxBodyBytes)
  if (!isUtf8(req.headers['content-type'])) throw new UnusableBody(415)
  if (isPlainJson(req)) {
    req.body = await readJson(req, maxBodyBytes, (text) => void texts.set(req, text))
    return
  }
  await new Promise<void>((resolve, reject) =>
    parseJson(req, res, (error?: unknown) => (error ? reject(error) : resolve())),
  )
}

const isPlainJson = ({ headers: { 'content-type': type, 'content-encoding': encoding } }: Request): boolean =>
  encoding === undefined && /^application\/json *(;|$)/i.test(type ?? '')

function cancel(underWay: CallsUnderWay, session: string, body: unknown): void {
  for (const requestId of cancelledIn(messagesOf(body))) underWay.get(callKey(session, requestId))?.()
}

export function sendMethodNotAllowed(res: Response): void {
  res.set('Allow', 'POST')
  sendRpcError(res, 405, -32_000, 'Method not allowed.')
}
