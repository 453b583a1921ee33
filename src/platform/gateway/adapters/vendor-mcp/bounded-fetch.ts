// The fetch that the MCP library uses: limited in size, uncompressed and guarded against SSRF.
import { setMaxListeners } from 'node:events'
import type { FetchLike } from '@modelcontextprotocol/client'
import { type Dispatcher, request } from 'undici'
import { FetchError, type GuardedDispatchers } from '../../../../kit/fetch/guarded-fetch.ts'
import { AddressBlocked, AnswerTooLarge, ThirdPartyError } from '../../domain/connection.ts'
import { userAgent } from '../refresh-request.ts'
import { assertFewMessages, eventLines } from './message-limits.ts'
import { type TrackedRequest, type TrackedRequests, trackingHeader } from './tracked-requests.ts'

/** Per message, and per response with all its messages. Reading makes several copies of a message. */
const maxMessageBytes = 4 * 1024 * 1024
const maxAnswerBytes = 4 * maxMessageBytes

type Options = {
  dispatchers: GuardedDispatchers
  /** Whether to allow a stream without a request. Servers before 2026-07-28 may ask the user something there. */
  mayListen: boolean
  /** The transport of 2024-11-05, whose responses come on that stream only. */
  isOldest?: boolean
  requests: TrackedRequests
}

/** The library follows redirects within one origin; each hop calls this function. */
export const boundedFetch =
  ({ dispatchers, mayListen, isOldest = false, requests }: Options): FetchLike =>
  async (address, init = {}) => {
    const { method = 'GET', body, signal } = init
    const headers = new Headers(init.headers)
    // Refuses the stream of unsolicited messages, but allows resuming a broken response.
    if (method === 'GET' && !mayListen && !headers.has('last-event-id')) return new Response(null, { status: 405 })
    const url = new URL(address)
    const dispatcher = dispatchers.for(url)
    if (!dispatcher) throw new AddressBlocked(url.host)
    const tracked = requests.of(headers.get(trackingHeader))
    // The library shares one signal among all requests of a login; Node warns at eleven listeners.
    if (signal) setMaxListeners(0, signal)
    const isStanding = method === 'GET' && mayListen
    const answer = await request(url, {
      method: method as Dispatcher.HttpMethod,
      headers: sent(headers),
      body: typeof body === 'string' ? body : null,
      dispatcher,
      signal: signal ?? null,
      ...(maySendNothing({ isStanding, isOldest, tracked }) && { bodyTimeout: 0 }),
    }).catch((error) => {
      throw describeFetchError(error, url)
    })
    // The library would wait: for it, 202 answers only notifications.
    if (answer.statusCode === 202 && !isOldest)
      tracked?.fail(new ThirdPartyError('Its response violates the protocol.'))
    return toResponse(answer, { isStanding, tracked })
  }

/** While the user is asked. The timeout of the whole request still ends it. */
const maySendNothing = ({ isStanding, isOldest, tracked }: Reading & { isOldest: boolean }) =>
  isStanding ? !isOldest : tracked?.mayAsk

function sent(headers: Headers): Record<string, string> {
  headers.delete(trackingHeader)
  headers.set('accept-encoding', 'identity')
  headers.set('user-agent', userAgent)
  return Object.fromEntries(headers)
}

function describeFetchError(error: unknown, url: URL): unknown {
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
    throw new ThirdPartyError('It returned an unsupported content encoding.')
  }
  const init = { status: statusCode, headers: passed(headers) }
  const isStream = String(headers['content-type'] ?? '').startsWith('text/event-stream')
  if (isStream && statusCode === 200) return new Response(ReadableStream.from(boundedEvents(body, reading)), init)
  return wholeResponse(await whole(body), init)
}

const read = ['content-type', 'mcp-session-id', 'www-authenticate', 'location', 'retry-after']

const passed = (headers: Dispatcher.ResponseData['headers']): [string, string][] =>
  read.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]))

type Body = Dispatcher.ResponseData['body']

async function whole(body: Body): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxMessageBytes) throw new AnswerTooLarge('4 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** If a stream without event IDs ends early, the library would wait forever, so the request fails here. */
async function* boundedEvents(body: Body, { isStanding, tracked }: Reading): AsyncGenerator<Uint8Array> {
  let event = 0
  let all = 0
  const linesOf = eventLines()
  let hasIds = false
  let isOver = false
  // A server may leave the stream open after a cancellation. With event IDs, destroying it would make the library
  // resume.
  tracked?.onEnd(() => {
    isOver = true
    if (!hasIds) body.destroy()
  })
  try {
    for await (const piece of body as AsyncIterable<Buffer>) {
      const chunk = linesOf(piece)
      event = sinceEmptyLine(chunk) ?? event + chunk.length
      all += chunk.length
      if (event > maxMessageBytes || (!isStanding && all > maxAnswerBytes)) throw new AnswerTooLarge('4 MB')
      hasIds ||= chunk.includes('id:')
      yield chunk
    }
    if (!hasIds) tracked?.failSoon(new ThirdPartyError('It ended its response early.'))
  } catch (error) {
    if (isOver) return
    if (error instanceof ThirdPartyError) tracked?.fail(error)
    else if (!hasIds) tracked?.failSoon(new ThirdPartyError('It closed the connection before the end of its response.'))
    throw error
  }
}

function sinceEmptyLine(chunk: Buffer): number | undefined {
  const at = Math.max(chunk.lastIndexOf('\n\n'), chunk.lastIndexOf('\r\n\r\n'), chunk.lastIndexOf('\r\r'))
  return at === -1 ? undefined : chunk.length - at
}

type Init = { status: number; headers: [string, string][] }

const utf8 = new TextDecoder()

/** Only what the library reads: the streams of a real Response are a large part of the cost of a call. */
function wholeResponse(bytes: Uint8Array, { status, headers }: Init): Response {
  const text = async () => utf8.decode(bytes)
  const answer: Partial<Response> = {
    status,
    statusText: '',
    ok: status >= 200 && status < 300,
    headers: new Headers(headers),
    url: '',
    redirected: false,
    body: null,
    text,
    json: async () => {
      const answer: unknown = JSON.parse(await text())
      assertFewMessages(answer)
      return answer
    },
  }
  return answer as Response
}
