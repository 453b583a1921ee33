import { Agent, type Dispatcher, request } from 'undici'
import { guardedDispatchers } from '../../../kit/fetch/guarded-fetch.ts'
import { AddressBlocked, AnswerTooLarge, ThirdPartyError } from '../domain/connection.ts'
import { encodedBody } from '../domain/encoded-body.ts'
import type { ThirdParty } from '../domain/ports.ts'
import { sendRefresh, unpackRefreshAnswer } from './refresh-answer.ts'
import { refreshRequest, userAgent } from './refresh-request.ts'
import { readRefreshAnswer } from './token-answer.ts'
import { tokenEndpoints } from './token-endpoint.ts'

const largestAnswer = 1024 * 1024

/**
 * How long a token endpoint and an API may take. `mcpAllow`: token endpoints of MCP servers that may be called although
 * their address is private or without TLS; those addresses were discovered, and are nobody's choice here.
 */
type Limits = { tokenMs?: number; callMs?: number; mcpAllow?: readonly string[] }

type Request = Omit<Dispatcher.RequestOptions, 'origin' | 'path'> & { dispatcher?: Dispatcher }

/** The only module that talks to third parties: bounded in time and size, redirects never followed. */
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
      return { status: answer.statusCode, contentType: String(answer.headers['content-type'] ?? ''), bytes }
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
        // Some APIs refuse requests of programs that do not say who they are.
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': call.bodyType }),
      }
      return send(call.url, { method: call.method, headers, body: body ?? null }, callMs, signal)
    },

    close: async () => void (await Promise.all([open.close(), guarded.close()])),
  }
}

/** Names in two spellings would be sent twice. */
const inLowerCase = (headers: Record<string, string>) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/**
 * Ends with the caller or when the time is over. Not AbortSignal.any() with AbortSignal.timeout(): in Node 20 nothing
 * holds on to such a timeout, and after the next garbage collection it never fires.
 */
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

/** Nothing here unpacks an answer: as bytes of the type it names it would be wrong. */
function assertNotEncoded(encoding: string | string[] | undefined): void {
  if (encoding === undefined || String(encoding).toLowerCase() === 'identity') return
  throw new ThirdPartyError('It answered in an encoding that it was not asked for.')
}

async function readBounded(body: Dispatcher.ResponseData['body']): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of body) {
    size += chunk.length
    if (size > largestAnswer) throw new AnswerTooLarge('1 MB')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}
