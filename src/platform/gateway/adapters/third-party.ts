import { Agent, type Dispatcher, request } from 'undici'
import { AnswerTooLarge, ThirdPartyError } from '../domain/connection.ts'
import { encodedBody } from '../domain/encoded-body.ts'
import type { ThirdParty } from '../domain/ports.ts'
import { refreshRequest, userAgent } from './refresh-request.ts'
import { readTokenAnswer } from './token-answer.ts'
import { tokenEndpoints } from './token-endpoint.ts'

const largestAnswer = 1024 * 1024

/** How long a token endpoint and an API may take. */
type Limits = { tokenMs?: number; callMs?: number }

type Request = Omit<Dispatcher.RequestOptions, 'origin' | 'path'>

/** The only module that talks to third parties: bounded in time and size, redirects never followed. */
export function thirdParty(limits: Limits = {}): ThirdParty & { close(): Promise<void> } {
  const { tokenMs = 10_000, callMs = 30_000 } = limits
  const dispatcher = new Agent({ connections: 64, keepAliveTimeout: 30_000 })
  const send = async (url: URL, options: Request, ms: number, caller?: AbortSignal) => {
    const limit = limited(ms, caller)
    try {
      const answer = await request(url, { ...options, dispatcher, signal: limit.signal })
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
      const { headers, body } = refreshRequest(integration, connection.secrets.reveal())
      const answer = await send(await tokenEndpoint(integration), { method: 'POST', headers, body }, tokenMs)
      return readTokenAnswer(answer, { integration, connection, now: new Date() })
    },

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

    close: () => dispatcher.close(),
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
