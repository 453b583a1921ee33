import { Agent, type Dispatcher, request } from 'undici'
import { z } from 'zod'
import { Secret } from '../../../kit/crypto/secret.ts'
import {
  AnswerTooLarge,
  ClientRejected,
  type Connection,
  GrantRevoked,
  RefreshRefused,
  ThirdPartyError,
} from '../domain/connection.ts'
import type { Integration } from '../domain/integration.ts'
import type { ApiAnswer, ThirdParty } from '../domain/ports.ts'

const largestAnswer = 1024 * 1024
const userAgent = 'causeway'

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
  return {
    async refresh(integration, connection) {
      const { headers, form } = refreshRequest(integration, connection.secrets.reveal())
      const body = new URLSearchParams(form).toString()
      const answer = await send(new URL(integration.tokenEndpoint), { method: 'POST', headers, body }, tokenMs)
      return readTokenAnswer(answer, integration, connection)
    },

    call({ method, url, body }, accessToken, signal) {
      const headers = {
        authorization: `Bearer ${accessToken.reveal()}`,
        accept: 'application/json, */*;q=0.5',
        'accept-encoding': 'identity',
        // Some APIs refuse requests of programs that do not say who they are.
        'user-agent': userAgent,
        ...(body !== undefined && { 'content-type': 'application/json' }),
      }
      return send(url, { method, headers, body: body === undefined ? null : JSON.stringify(body) }, callMs, signal)
    },

    close: () => dispatcher.close(),
  }
}

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

function refreshRequest({ tokenEndpointAuthMethod }: Integration, secrets: Record<string, string>) {
  const { CLIENT_ID = '', CLIENT_SECRET = '', REFRESH_TOKEN = '' } = secrets
  const headers = {
    accept: 'application/json',
    'accept-encoding': 'identity',
    'content-type': 'application/x-www-form-urlencoded',
    'user-agent': userAgent,
  }
  const form = { grant_type: 'refresh_token', refresh_token: REFRESH_TOKEN }
  if (tokenEndpointAuthMethod === 'client_secret_post') {
    return { headers, form: { ...form, client_id: CLIENT_ID, client_secret: CLIENT_SECRET } }
  }
  // RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
  const pair = [CLIENT_ID, CLIENT_SECRET].map((part) => new URLSearchParams({ p: part }).toString().slice(2)).join(':')
  return { headers: { ...headers, authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, form }
}

/** Ten years, in seconds. */
const longestLife = 10 * 365 * 24 * 60 * 60

const TokenAnswer = z.object({
  access_token: z.string().min(1),
  refresh_token: z.string().min(1).optional(),
  // Some third parties send a number in quotes, and some what is no time at all. The answer is taken all the same: it
  // may contain the only refresh token that still works.
  expires_in: z.coerce.number().positive().max(longestLife).optional().catch(undefined),
})

function readTokenAnswer({ status, bytes }: ApiAnswer, { brokenGrantErrors }: Integration, { name }: Connection) {
  const json = parseJson(bytes.toString())
  // Not every third party refuses with 400 (RFC 6749, section 5.2): some answer 200 and an error.
  const { error } = z.object({ error: z.string().optional() }).catch({}).parse(json)
  if (error !== undefined && status < 500 && brokenGrantErrors.includes(error)) throw new GrantRevoked(name)
  const parsed = TokenAnswer.safeParse(json)
  if (status !== 200 || !parsed.success) {
    const message = `The token endpoint answered ${status}${errorWord(error)}.`
    if (error !== undefined && clientErrors.has(error)) throw new ClientRejected(message)
    throw isUnexplained(status, error) ? new RefreshRefused(message) : new ThirdPartyError(message)
  }
  const { access_token, refresh_token, expires_in } = parsed.data
  return {
    accessToken: new Secret(access_token),
    refreshToken: refresh_token === undefined ? undefined : new Secret(refresh_token),
    expiresInSeconds: expires_in ?? 3_600,
  }
}

/** RFC 6749, section 5.2, and what GitHub and Slack say for the same. */
const clientErrors = new Set([
  'invalid_client',
  'unauthorized_client',
  'incorrect_client_credentials',
  'bad_client_secret',
])

/** RFC 6749, section 5.2: 400, or 401, with an error. Some send the status alone, or a page. */
const isUnexplained = (status: number, error: string | undefined) =>
  (status === 400 || status === 401) && error !== 'temporarily_unavailable' && error !== 'server_error'

/** A code such as invalid_client tells the owner what to fix; anything else is not passed on. */
const errorWord = (error: string | undefined) => (/^[a-z_]{3,40}$/.test(error ?? '') ? ` (${error})` : '')

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
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
