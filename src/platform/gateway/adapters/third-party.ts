import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { guardedDispatchers } from '../../../kit/fetch/guarded-fetch.ts'
import { AddressBlocked, AnswerTooLarge, ThirdPartyError } from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import type { ApiAnswer, ScopeHeaders, ThirdParty } from '../domain/ports.ts'
import { encodedBody } from '../domain/tool-request.ts'
import { sendRefresh, unpackRefreshAnswer } from './refresh-answer.ts'
import { refreshRequest, userAgent } from './refresh-request.ts'
import { readRefreshAnswer } from './token-answer.ts'

const maxAnswerBytes = 1024 * 1024

/** `mcpAllow` lists discovered token endpoints that may be private or without TLS; others are guarded. */
type Limits = { tokenMs?: number; callMs?: number; mcpAllow?: readonly string[] }

type Request = Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & { dispatcher?: Dispatcher }

export function thirdParty(limits: Limits = {}): ThirdParty & { close(): Promise<void> } {
  const { tokenMs = 10_000, callMs = 30_000, mcpAllow = [] } = limits
  const settings = { connections: 64, keepAliveTimeout: 30_000 }
  const open = new Agent(settings)
  const guarded = guardedDispatchers({ allow: mcpAllow }, settings)
  const send = async (url: URL, options: Request, ms: number, caller?: AbortSignal) => {
    const limit = limited(ms, caller)
    try {
      const answer = await request(url, { dispatcher: open, ...options, signal: limit.signal })
      assertNotEncoded(answer.headers['content-encoding'])
      const bytes = await readBounded(answer.body)
      const contentType = String(answer.headers['content-type'] ?? '')
      return { status: answer.statusCode, contentType, bytes, scopes: scopesIn(answer.headers) }
    } catch (error) {
      if (error instanceof ThirdPartyError) throw error
      if (limit.signal.aborted) throw new ThirdPartyError(`${url.host} did not answer in time.`)
      throw new ThirdPartyError(`${url.host} did not answer.`)
    } finally {
      limit.clear()
    }
  }
  const headers = { accept: 'application/json', 'accept-encoding': 'identity', 'user-agent': userAgent }
  const tokenEndpoint = tokenEndpoints((url) => send(url, { method: 'GET', headers }, tokenMs))
  return {
    async refresh(integration, connection) {
      const message = refreshRequest(integration, connection.secrets.reveal())
      const url = await tokenEndpoint(integration)
      const dispatcher = integration.mcpUrl === undefined ? open : guarded.for(url)
      if (!dispatcher) throw new AddressBlocked(url.host)
      const answer = await sendRefresh(dispatcher, { url, ...message }, tokenMs)
      return readRefreshAnswer(answer, { integration, connection })
    },

    readAgain: (integration, connection, answer) =>
      readRefreshAnswer(unpackRefreshAnswer(answer), { integration, connection }),

    call(call, accessToken, signal) {
      const body = encodedBody(call)
      const headers = {
        ...inLowerCase(call.api.headers),
        ...call.headers,
        [call.api.tokenHeader.toLowerCase()]: `${call.api.tokenPrefix}${accessToken.reveal()}`,
        accept: 'application/json, */*;q=0.5',
        'accept-encoding': 'identity',
        // Some APIs reject requests without a user agent.
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': call.bodyType }),
      }
      return send(call.url, { method: call.method, headers, body: body ?? null }, callMs, signal)
    },

    close: async () => void (await Promise.all([open.close(), guarded.close()])),
  }
}

function scopesIn(headers: Dispatcher.ResponseData['headers']): ScopeHeaders {
  const { 'www-authenticate': challenge, 'x-oauth-scopes': granted, 'x-accepted-oauth-scopes': accepted } = headers
  const known = Object.entries({ challenge, granted, accepted }).filter(([, value]) => value !== undefined)
  return Object.fromEntries(known.map(([name, value]) => [name, String(value).slice(0, maxHeaderChars)]))
}

const maxHeaderChars = 4_096

/** Two spellings of a name would be sent as two headers. */
const inLowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** AbortSignal.any() does not keep AbortSignal.timeout() alive in Node 20: after a GC it never fires. */
function limited(ms: number, caller: AbortSignal | undefined) {
  const controller = new AbortController()
  const abort = () => controller.abort()
  const timer = setTimeout(abort, ms)
  if (caller?.aborted) abort()
  caller?.addEventListener('abort', abort)
  const clear = () => {
    clearTimeout(timer)
    caller?.removeEventListener('abort', abort)
  }
  return { signal: controller.signal, clear }
}

function assertNotEncoded(encoding: string | string[] | undefined): void {
  if (encoding === undefined || String(encoding).toLowerCase() === 'identity') return
  throw new ThirdPartyError('It returned an unsupported content encoding.')
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > maxAnswerBytes) throw new AnswerTooLarge('1 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

const Metadata = z.object({ issuer: z.string(), token_endpoint: z.url({ protocol: /^https?$/ }) })

function tokenEndpoints(get: (url: URL) => Promise<ApiAnswer>) {
  const discovered = ttlCache((issuer) => discover(issuer, get), { ttlMs: 60 * 60 * 1_000, capacity: 1_000 })
  return async ({ refresh, endpoints, issuer }: Integration): Promise<URL> =>
    new URL(refresh.url ?? endpoints?.token ?? (await discovered.get(issuer ?? unknown())))
}

/** Linking an MCP server discovers its endpoint; a connection created by hand may lack it. */
function unknown(): never {
  throw new ThirdPartyError('The connection has no token endpoint. Link the account again.')
}

async function discover(issuer: string, get: (url: URL) => Promise<ApiAnswer>): Promise<string> {
  const { bytes } = await get(new URL(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`))
  const { data } = Metadata.safeParse(parseJson(bytes.toString()))
  // OpenID Connect Discovery, section 4.3: the issuer must match exactly. The endpoint must not be less secure than the
  // issuer.
  const isSafe = data?.issuer === issuer && (data.token_endpoint.startsWith('https:') || issuer.startsWith('http:'))
  if (!isSafe) throw new ThirdPartyError(`The metadata of ${new URL(issuer).host} is invalid.`)
  return data.token_endpoint
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
