// What the protocol's library fetches with: bounded in size, never compressed, never to an inner address.
import type { FetchLike } from '@modelcontextprotocol/client'
import { type Dispatcher, request } from 'undici'
import { FetchError, type GuardedDispatchers } from '../../../../kit/fetch/guarded-fetch.ts'
import { AddressBlocked, AnswerTooLarge, ThirdPartyError } from '../../domain/connection.ts'
import { userAgent } from '../refresh-request.ts'
import { eventLines } from './event-lines.ts'
import { type TrackedRequest, type TrackedRequests, trackingHeader } from './tracked-requests.ts'
import { wholeResponse } from './whole-response.ts'

/** One message, and all messages of one answer. Several copies of a message exist while it is read. */
export const largestMessage = 4 * 1024 * 1024
export const largestAnswer = 4 * largestMessage

type Options = {
  dispatchers: GuardedDispatchers
  /** Whether a stream may be opened that belongs to no request: the oldest transport has nothing else. */
  mayListen: boolean
  requests: TrackedRequests
}

/** Redirects are left to the library, which stays at the same origin; each step comes through here. */
export const boundedFetch =
  ({ dispatchers, mayListen, requests }: Options): FetchLike =>
  async (address, init = {}) => {
    const headers = new Headers(init.headers)
    const { method = 'GET', body, signal } = init
    // What a server says unasked is not listened to; a broken answer is read on.
    if (method === 'GET' && !mayListen && !headers.has('last-event-id')) return new Response(null, { status: 405 })
    const url = new URL(address)
    const dispatcher = dispatchers.for(url)
    if (!dispatcher) throw new AddressBlocked(url.host)
    const tracked = requests.of(headers.get(trackingHeader))
    headers.delete(trackingHeader)
    headers.set('accept-encoding', 'identity')
    headers.set('user-agent', userAgent)
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers: Object.fromEntries(headers),
      body: typeof body === 'string' ? body : null,
      dispatcher,
      signal: signal ?? null,
    }).catch((error) => {
      throw describeFetchError(error, url)
    })
    return toResponse(answer, { isStanding: method === 'GET' && mayListen, tracked })
  }

export function describeFetchError(error: unknown, url: URL): unknown {
  const { cause, code = '', name } = error as { cause?: unknown; code?: string; name?: string }
  if (name === 'AbortError' || error instanceof ThirdPartyError) return error
  if ([error, cause].some((each) => each instanceof FetchError && each.kind === 'blocked'))
    return new AddressBlocked(url.host)
  return new ThirdPartyError(`${url.host} did not answer${/TIMEOUT/.test(code) ? ' in time' : ''}.`)
}

type Reading = { isStanding: boolean; tracked: TrackedRequest | undefined }

async function toResponse({ statusCode, headers, body }: Dispatcher.ResponseData, reading: Reading) {
  const encoding = String(headers['content-encoding'] ?? 'identity').toLowerCase()
  if (encoding !== 'identity') {
    body.destroy()
    throw new ThirdPartyError('It answered in an encoding that it was not asked for.')
  }
  const init = { status: statusCode, headers: passed(headers) }
  const isStream = String(headers['content-type'] ?? '').startsWith('text/event-stream')
  if (isStream && statusCode === 200) return new Response(ReadableStream.from(boundedEvents(body, reading)), init)
  return wholeResponse(await whole(body), init)
}

/** The only headers that the library reads. */
const read = ['content-type', 'mcp-session-id', 'www-authenticate', 'location', 'retry-after']

const passed = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  read.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))

type Body = Dispatcher.ResponseData['body']

async function whole(body: Body): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > largestMessage) throw new AnswerTooLarge('4 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/**
 * An event ends with an empty line, and is in memory as a whole until then. The library waits on when a stream ends
 * without an answer, so whoever waits for it is told here; with the id of an event it asks for the rest first.
 */
async function* boundedEvents(body: Body, { isStanding, tracked }: Reading): AsyncGenerator<Uint8Array> {
  let event = 0
  let all = 0
  const linesOf = eventLines()
  let hasIds = false
  let isOver = false
  // A server that was told of a cancellation may leave the stream open; one with ids would be asked for the rest.
  tracked?.onEnd(() => {
    isOver = true
    if (!hasIds) body.destroy()
  })
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      const chunk = linesOf(piece)
      event = sinceEmptyLine(chunk) ?? event + chunk.length
      all += chunk.length
      if (event > largestMessage || (!isStanding && all > largestAnswer)) throw new AnswerTooLarge('4 MB')
      hasIds ||= chunk.includes('id:')
      yield chunk
    }
    if (!hasIds) tracked?.failSoon(new ThirdPartyError('It ended its answer before the end.'))
  } catch (error) {
    if (isOver) return
    if (error instanceof ThirdPartyError) tracked?.fail(error)
    else if (!hasIds) tracked?.failSoon(new ThirdPartyError('It broke off its answer.'))
    throw error
  }
}

/** Returns undefined if there is none in it. */
export function sinceEmptyLine(chunk: Buffer): number | undefined {
  const at = Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n'), chunk.lastIndexOf('\r\r'))
  return at === -1 ? undefined : chunk.length - at
}
