import { readError } from './answers.ts'
import { ArgumentError, UnreachableError } from './errors.ts'
import type { Deployment } from './transport.ts'

/**
 * Like `fetch`, with the access of a linked account. `input` is an absolute URL at an API host of the app, or a path at
 * its first API host. Returns every response of the app; throws ApiError if no request reached it.
 */
export type RelayFetch = (connectionId: string, input: string | URL | Request, init?: RequestInit) => Promise<Response>

const firstHost = 'https://first-host.invalid'

export function relayFetch({ base, send, authorization }: Deployment): RelayFetch {
  return async (connectionId, input, init) => {
    if (!connectionId) throw new ArgumentError('connectionId must not be empty.')
    const request = requestOf(input, init)
    const { host, origin, pathname, search } = new URL(request.url)
    const place = origin === firstHost ? '-' : host
    const address = `${base}/connections/${encodeURIComponent(connectionId)}/relay/${place}${pathname}${search}`
    const headers = new Headers(request.headers)
    headers.set('authorization', authorization())
    const { method, redirect, signal } = request
    const sent = { method, headers, redirect, signal, ...(await bodyOf(request, init)) }
    const response = await send(address, sent).catch((cause) => {
      signal.throwIfAborted()
      throw new UnreachableError(base, cause)
    })
    // RFC 9209: set for responses of the app only.
    if (/\breceived-status=/.test(response.headers.get('proxy-status') ?? '')) return response
    // A redirect to another host was followed.
    if (response.redirected && !response.url.startsWith(base)) return response
    throw await readError(response, base)
  }
}

function requestOf(input: string | URL | Request, init: RequestInit | undefined): Request {
  const isPath = typeof input === 'string' && input.startsWith('/')
  const address = isPath ? `${firstHost}${input}` : input
  if (!(address instanceof Request) && !URL.canParse(String(address))) {
    throw new ArgumentError('The URL must be absolute, or a path that begins with a slash.')
  }
  return new Request(address, isStream(init?.body) ? { ...init, duplex: 'half' } : init)
}

const isStream = (body: unknown): boolean => body instanceof ReadableStream

/** A known length lets the server repeat the request with a new token. */
async function bodyOf(request: Request, init: RequestInit | undefined): Promise<RequestInit> {
  if (request.body === null) return {}
  if (isStream(init?.body)) return { body: request.body, duplex: 'half' }
  return { body: await request.arrayBuffer() }
}
