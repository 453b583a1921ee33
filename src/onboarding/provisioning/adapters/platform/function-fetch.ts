// Requests to functions. A function is somebody's code: what it answers is cut off as it arrives, and it sends us nowhere
// else. By the HTTP library's plainer call: its own fetch costs more than everything else about so small a question.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FetchLike } from '@modelcontextprotocol/client'
import { Agent } from 'undici'
import { wholeAnswer } from '../../../../kit/fetch/whole-answer.ts'

export const timeout = 10_000

const largestAnswer = 1024 * 1024
const bounded = new Agent({ maxResponseSize: largestAnswer, headersTimeout: timeout, bodyTimeout: timeout })

/** Compressed answers are refused: the limit counts what arrives, and a megabyte can be unpacked to a gigabyte. */
const uncompressed = { 'accept-encoding': 'identity' }

type Listing = { headers: Record<string, string>; body: string }

/**
 * By origin: the request by which the protocol's library asks a function for its tools, where the answer was plain JSON.
 * In the stateless revisions it is the same for every function, and making it anew is most of what asking costs.
 */
const listings = new Map<string, Listing>()

export const forgetListing = (origin: string): boolean => listings.delete(origin)

/** For the protocol's library. */
export const boundedFetch: FetchLike = async (url, init) => {
  // What a function says unasked is not listened to.
  if (init?.method === 'GET') return new Response(null, { status: 405 })
  const { origin, pathname, search } = new URL(url)
  const sent = Object.fromEntries(new Headers(init?.headers))
  const text = typeof init?.body === 'string' ? init.body : ''
  const { statusCode, headers, body } = await bounded.request({
    origin,
    path: pathname + search,
    method: init?.method === 'DELETE' ? 'DELETE' : 'POST',
    headers: { ...sent, ...uncompressed },
    body: text,
    signal: init?.signal ?? null,
  })
  const refusal = refusalOf(statusCode, headers)
  if (refusal) {
    body.destroy()
    throw new Error(refusal)
  }
  // Only the stateless revisions name the method in a header.
  if (sent['mcp-method'] === 'tools/list' && isJson(statusCode, headers)) {
    listings.set(origin, { headers: ofProtocol(sent), body: text })
  }
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  const read = isStream ? (Readable.toWeb(body) as ReadableStream) : await body.text()
  return new Response(bodiless.has(statusCode) ? null : read, { status: statusCode, headers: singleHeaders(headers) })
}

/**
 * The tools of a function, asked for as others of the platform were before. Undefined if that is not known yet, or the
 * answer is none that can be read at a glance: then the protocol's library asks, and judges.
 */
export async function toolsAtOnce(url: URL, headers: Record<string, string>): Promise<readonly unknown[] | undefined> {
  const known = listings.get(url.origin)
  if (!known) return undefined
  const call = {
    origin: url.origin,
    path: url.pathname + url.search,
    method: 'POST' as const,
    headers: { ...known.headers, ...headers, ...uncompressed },
    body: known.body,
    limit: { ms: timeout, reason: tooLate, unsent: tooLate },
  }
  const answer = await wholeAnswer(bounded, call)
  const tools = isJson(answer.status, answer.headers) ? toolsIn(answer.body) : undefined
  if (!tools) listings.delete(url.origin)
  return tools
}

const tooLate = () => new Error('too late')

type AnswerHeaders = Record<string, string | string[] | undefined>

const isJson = (status: number, headers: AnswerHeaders): boolean =>
  status === 200 &&
  headers['content-encoding'] === undefined &&
  /^application\/json\b/.test(String(headers['content-type']))

function toolsIn(body: Buffer): readonly unknown[] | undefined {
  try {
    const { result } = JSON.parse(body.toString()) as { result?: { tools?: unknown; resultType?: unknown } }
    return result?.resultType === 'complete' && Array.isArray(result.tools) ? result.tools : undefined
  } catch {
    return undefined
  }
}

/** Not the key, nor the trace that it belonged to. */
const ofProtocol = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-)/.test(name)))

function refusalOf(status: number, headers: AnswerHeaders): string | undefined {
  if (status >= 300 && status < 400) return 'the answer is a redirect'
  return headers['content-encoding'] === undefined ? undefined : 'the answer is compressed'
}

/** A response refuses to have a body with these. */
const bodiless = new Set([204, 205])

const singleHeaders = (headers: AnswerHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]))
