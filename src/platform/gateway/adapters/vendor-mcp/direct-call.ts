// A call of a tool without the library's client around it. For a call that nobody wants progress or a log of, the client
// decides nothing, and what it makes and checks for each costs several times the call. The login stays the library's,
// and so does whatever else the server says.
import {
  extractWWWAuthenticateParams,
  InsufficientScopeError,
  isCallToolResult,
  ProtocolError,
  SdkError,
  SdkErrorCode,
  SdkHttpError,
} from '@modelcontextprotocol/client'
import { ThirdPartyError } from '../../domain/connection.ts'
import type { Exchange, JsonObject, VendorTool } from '../../domain/vendor/vendor-mcp.ts'
import type { DirectLine, Response } from './direct-line.ts'
import type { DirectAnswer, EndedStream, RunningPost } from './direct-post.ts'
import { messagesIn } from './message-limits.ts'

type Params = { name: string; arguments: JsonObject; _meta?: JsonObject }

export type Limits = { signal: AbortSignal; timeoutMs: number }

/** `left_to_library`: nothing was done there, and only the library knows how to go on. `again`: it wants this state back. */
export type Outcome = { result: JsonObject } | { again: string } | 'left_to_library'

/** In the newer protocol the name is in a header, and so may be arguments: how those are written is left to the library. */
export function isDirect(
  line: DirectLine,
  { name, inputSchema }: VendorTool,
  { onProgress, onLog }: Exchange,
): boolean {
  if (onProgress || onLog) return false
  return !line.isModern() || (/^[\w./-]+$/.test(name) && !declaresHeaders(inputSchema))
}

const declaring = new WeakMap<JsonObject, boolean>()

function declaresHeaders(inputSchema: JsonObject): boolean {
  const known = declaring.get(inputSchema) ?? JSON.stringify(inputSchema).includes('x-mcp-header')
  declaring.set(inputSchema, known)
  return known
}

export async function callDirectly(line: DirectLine, params: Params, limits: Limits): Promise<Outcome> {
  const reply = await exchange(line, params, limits)
  return reply === 'left_to_library' ? reply : outcomeOf(reply, line.isModern())
}

type Reply = Response | 'left_to_library'

const exchange = (line: DirectLine, params: Params, { signal, timeoutMs }: Limits): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const id = line.newId()
    let post: RunningPost | undefined
    let pausing: NodeJS.Timeout | undefined
    const end = () => {
      clearTimeout(timer)
      clearTimeout(pausing)
      signal.removeEventListener('abort', leave)
      line.forget(id)
    }
    const answer = (reply: Reply) => {
      end()
      resolve(reply)
    }
    const fail = (error: unknown) => {
      end()
      reject(error)
    }
    const giveUp = (reason: string) => {
      if (!line.isExpected(id)) return
      fail(new SdkError(SdkErrorCode.RequestTimeout, reason))
      line.cancel(id, reason)
      post?.abort()
    }
    const leave = () => giveUp(String(signal.reason))
    const timer = setTimeout(giveUp, timeoutMs, 'Request timed out')
    signal.addEventListener('abort', leave, { once: true })
    line.expect(id, (response) => {
      answer(response)
      post?.endSoon()
    })
    const send: Send = async (message) => {
      const token = await line.token()
      if (!line.isExpected(id)) throw new SdkError(SdkErrorCode.RequestTimeout, 'nobody waits any more')
      post = line.post({ ...message, token })
      return post.answer
    }
    // As long as the server likes, which may be for weeks: with the call it is over.
    const pause = (ms: number) =>
      new Promise<void>((resume) => {
        pausing = setTimeout(resume, ms)
      })
    if (signal.aborted) return fail(new SdkError(SdkErrorCode.RequestTimeout, String(signal.reason)))
    ask(line, id, params, { send, pause }).then((left) => left && answer(left), fail)
  })

type Send = (message: { body: string; headers: Record<string, string> }) => Promise<DirectAnswer>

type Means = { send: Send; pause(ms: number): Promise<void> }

/** Returns once the answer has been told, or is on its way by the library. A token that is refused is replaced once. */
async function ask(line: DirectLine, id: number, params: Params, means: Means): Promise<'left_to_library' | undefined> {
  const { send, pause } = means
  const isModern = line.isModern()
  const sent = isModern ? { ...params, _meta: { ...line.envelope(), ...params._meta } } : params
  const body = JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: sent })
  const headers = isModern ? { 'mcp-method': 'tools/call', 'mcp-name': params.name } : {}
  let answer = await send({ body, headers })
  if (answer.status === 401) {
    await line.renew()
    answer = await send({ body, headers })
  }
  if (answer.stream) return readOn(line, id, answer.stream, pause)
  if (answer.status >= 300 && answer.status < 400) return 'left_to_library'
  readWhole(line, id, answer)
  return undefined
}

/** As long as the library waits when a server does not say. */
const usualRetryMs = 1_000

/** A server that gives its events ids keeps them: what broke off is asked for again, and comes by the library. */
async function readOn(line: DirectLine, id: number, stream: EndedStream, pause: Means['pause']) {
  const { lastEventId, retryMs, brokeOff } = stream
  if (!line.isExpected(id)) return undefined
  if (lastEventId === undefined)
    throw new ThirdPartyError(brokeOff ? 'It broke off its answer.' : 'It ended its answer before the end.')
  await pause(retryMs ?? usualRetryMs)
  if (line.isExpected(id)) await line.readOn(lastEventId)
  return undefined
}

function readWhole(line: DirectLine, id: number, { status, headers, body }: DirectAnswer): void {
  const isJson = /^application\/json\s*(;|$)/i.test(String(headers['content-type'] ?? ''))
  const isRefusal = status === 400 && line.isModern() && isJson
  if (isJson && (status === 200 || isRefusal)) readMessages(line, body, isRefusal)
  if (!line.isExpected(id)) return
  if (status === 403) throwIfScopeMissing(headers)
  if (status >= 300) throw new SdkHttpError(SdkErrorCode.ClientHttpNotImplemented, 'refused', { status })
  throw new SdkError(SdkErrorCode.InvalidResult, 'an answer without an answer')
}

function readMessages(line: DirectLine, body: Buffer, isRefusal: boolean): void {
  try {
    for (const message of messagesIn(JSON.parse(body.toString('utf8')))) line.receive(message)
  } catch (error) {
    // A refusal may be of whatever stands in front of the server: its status is told.
    if (!isRefusal) throw error
  }
}

function throwIfScopeMissing(headers: DirectAnswer['headers']): void {
  const get = (name: string) => (headers[name.toLowerCase()] === undefined ? null : String(headers[name.toLowerCase()]))
  const { error, scope } = extractWWWAuthenticateParams({ headers: { get } } as unknown as globalThis.Response)
  if (error === 'insufficient_scope')
    throw new InsufficientScopeError(scope === undefined ? {} : { requiredScope: scope })
}

function outcomeOf(response: Response, isModern: boolean): Outcome {
  if ('error' in response) throw new ProtocolError(response.error.code, response.error.message)
  const { resultType, ...result } = response.result
  if (isModern && resultType === 'input_required') return inputRequired(result)
  if (isModern && resultType !== 'complete') throw invalid('the kind of result is not known')
  const whole = isModern ? result : { content: [], ...result }
  const { content, structuredContent } = whole as JsonObject
  const isOfItsAge = isModern || structuredContent === undefined || isObject(structuredContent)
  if (!Array.isArray(content) || !isOfItsAge || !(isPlainText(whole) || isCallToolResult(whole)))
    throw invalid('the result is none of a tool')
  return { result: whole }
}

const plainMembers = new Set(['content', 'isError'])

/** What most tools answer, told without the library's schemas, which are for whatever else there may be. */
export const isPlainText = (result: JsonObject): boolean =>
  Object.keys(result).every((name) => plainMembers.has(name)) &&
  (result.isError === undefined || typeof result.isError === 'boolean') &&
  Array.isArray(result.content) &&
  result.content.every(isTextBlock)

function isTextBlock(block: unknown): boolean {
  const { type, text } = Object(block)
  return type === 'text' && typeof text === 'string' && Object.keys(Object(block)).length === 2
}

/** A server may want nothing but its own state back. Whatever else it asks for, nobody sits here who could answer. */
function inputRequired({ inputRequests, requestState }: JsonObject): Outcome {
  const isAsked = isObject(inputRequests) && Object.keys(Object(inputRequests)).length > 0
  if (isAsked || typeof requestState !== 'string') throw invalid('it asks for input')
  return { again: requestState }
}

const isObject = (value: unknown): boolean => typeof value === 'object' && value !== null && !Array.isArray(value)

const invalid = (reason: string) => new SdkError(SdkErrorCode.InvalidResult, reason)
