// Functions run untrusted code: responses have a max size, and redirects are not followed.
import { Readable } from 'node:stream'
import type { ReadableStream } from 'node:stream/web'
import type { FetchLike } from '@modelcontextprotocol/client'
import { Agent } from 'undici'
import { wholeAnswer } from '../../../../kit/fetch/whole-answer.ts'

export const timeout = 10_000

const largestAnswer = 1024 * 1024
const bounded = new Agent({ maxResponseSize: largestAnswer, headersTimeout: timeout, bodyTimeout: timeout })

/** Rejects compressed responses: the limit counts bytes on the wire. */
const uncompressed = { 'accept-encoding': 'identity' }

type Listing = { headers: Record<string, string>; body: string }

/** By origin. In stateless revisions every function gets the same request, and building it is most of the cost. */
const listings = new Map<string, Listing>()

export const forgetListing = (origin: string): boolean => listings.delete(origin)

export const boundedFetch: FetchLike = async (url, init) => {
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
  // Only stateless revisions have the method in a header.
  if (sent['mcp-method'] === 'tools/list' && isJson(statusCode, headers)) {
    listings.set(origin, { headers: ofProtocol(sent), body: text })
  }
  const isStream = String(headers['content-type']).startsWith('text/event-stream')
  const read = isStream ? (Readable.toWeb(body) as ReadableStream) : await body.text()
  return new Response(bodiless.has(statusCode) ? null : read, { status: statusCode, headers: singleHeaders(headers) })
}

/** Returns undefined if no request is remembered or the response is not simple; the MCP library asks then. */
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

const ofProtocol = (headers: Record<string, string>): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => /^(accept|content-type|mcp-)/.test(name)))

function refusalOf(status: number, headers: AnswerHeaders): string | undefined {
  if (status >= 300 && status < 400) return 'the answer is a redirect'
  return headers['content-encoding'] === undefined ? undefined : 'the answer is compressed'
}

const bodiless = new Set([204, 205])

const singleHeaders = (headers: AnswerHeaders): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value ?? '')]))
