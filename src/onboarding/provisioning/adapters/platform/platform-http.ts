import { Pool } from 'undici'
import { GatewayError, Refusal } from '../../../../contract/error-bodies.ts'
import {
  type BrandedHeaders,
  bearer,
  brandedHeaders,
  plainHeaders,
  WorkspaceName,
} from '../../../../contract/headers.ts'
import type { Secret } from '../../../../kit/crypto/secret.ts'
import { connectionCode, describeConnection, isCertificateProblem } from '../../../../kit/fetch/connection-problem.ts'
import { retryAfterSeconds } from '../../../../kit/fetch/retry-after.ts'
import { wholeAnswer } from '../../../../kit/fetch/whole-answer.ts'
import { DependencyError } from '../../../domain/dependency-error.ts'
import type { CallObserver } from '../../../domain/ports/provider.ts'
import type { OutsideCallName } from '../../../domain/trace/outside-call.ts'
import { noted, statusOf } from '../noted-calls.ts'

export type PlatformAddress = {
  baseUrl: string
  apiKey: Secret
  brand: string
  /** Origins of functions besides the platform's own. The key is sent nowhere else. */
  functionOrigins?: readonly string[]
}

export const traceHeaders = ({ traceparent }: Pick<CallObserver, 'traceparent'>): Record<string, string> =>
  traceparent === undefined ? {} : { traceparent }

export type PlatformAnswer = { status: number; body: unknown }

/** `isPlatform`: the response follows the contract and does not come from another server at this address. */
type RawAnswer = PlatformAnswer & { isPlatform: boolean }

type ObservedCall = { by: CallObserver; call: OutsideCallName }

export type PlatformHttp = {
  headers: BrandedHeaders
  /** Returns 2xx, 404 and 409 responses. Throws a DependencyError for others. */
  send(
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    workspace: string,
    body?: unknown,
    observed?: ObservedCall,
  ): Promise<PlatformAnswer>
  answers(): Promise<boolean>
  look(path: string): Promise<RawAnswer>
  close(): Promise<void>
}

const timeoutMs = 10_000

/** Total time: the library's limits restart with each byte or interim response. */
const tooLate = () => Object.assign(new Error('too late'), { code: 'ETIMEDOUT' })
const limit = { ms: timeoutMs, reason: tooLate, unsent: tooLate }

const largestAnswer = 1024 * 1024

const retryAfter = plainHeaders.retryAfter.toLowerCase()

export function platformHttp({ baseUrl, apiKey, brand }: PlatformAddress): PlatformHttp {
  const base = new URL(baseUrl)
  const pool = new Pool(base.origin, {
    connections: 32,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    maxResponseSize: largestAnswer,
  })
  const headers = brandedHeaders(brand)
  const authorization = bearer(apiKey.reveal())
  const assertKeyAccepted = keyMemory()

  return {
    headers,
    async send(method, path, workspace, body, observed) {
      const call = {
        method,
        path: base.pathname + path,
        headers: {
          authorization,
          [headers.workspace]: soundWorkspace(workspace),
          ...(observed && traceHeaders(observed.by)),
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        limit,
      }
      const send = () => wholeAnswer(pool, call)
      const sending = observed ? noted(observed.by.note, observed.call, send, { of: statusOf }) : send()
      const answer = await sending.catch((error) => Promise.reject(noAnswer(error)))
      assertKeyAccepted(answer.status)
      return judge(answer.status, answer.body.toString(), answer.headers[retryAfter])
    },
    async answers() {
      try {
        const call = { method: 'GET', path: '/healthz', limit: { ...limit, ms: 2_000 } } as const
        return (await wholeAnswer(pool, call)).status < 500
      } catch {
        return false
      }
    },
    async look(path) {
      const call = { method: 'GET' as const, path: base.pathname + path, headers: { authorization }, body: null, limit }
      const answer = await wholeAnswer(pool, call).catch((error) => Promise.reject(noAnswer(error)))
      const [text, { status }] = [answer.body.toString(), answer]
      assertKeyAccepted(status)
      const body = parse(text)
      return { status, body, isPlatform: !isElsewhere(status, text, body) }
    },
    close: () => pool.close(),
  }
}

/** After several 401s the platform answers 429 before it checks the key. This still reports a wrong key. */
function keyMemory() {
  let isRefused = false
  return (status: number): void => {
    if (status === 429 && isRefused) throw misconfigured('429 after 401: PLATFORM_API_KEY is not accepted')
    if (status !== 429) isRefused = status === 401
  }
}

/** Uses the code only: an error message may contain an address. */
function noAnswer(error: unknown): DependencyError {
  const code = connectionCode(error)
  const detail = code ? `no answer: ${describeConnection(code)}` : 'no answer'
  if (code && isCertificateProblem(code)) return misconfigured(detail)
  return new DependencyError('platform_unavailable', { retry: {}, detail })
}

export const noPlatform = (status: number) =>
  misconfigured(`${status}: no platform answers at PLATFORM_URL, which has to end with the version of its API (/v0)`)

export const misconfigured = (detail: string) =>
  new DependencyError('platform_misconfigured', { retry: { afterSeconds: 30 }, detail })

/** The request has the platform's key, so it may only go to the platform's origins. */
export function assertPlatformOrigin(
  functionUrl: string,
  { baseUrl, functionOrigins = [] }: Omit<PlatformAddress, 'apiKey'>,
) {
  const origin = URL.canParse(functionUrl) ? new URL(functionUrl).origin : undefined
  if (origin !== undefined && [new URL(baseUrl).origin, ...functionOrigins].includes(origin)) return
  throw new DependencyError('platform_refused', { detail: 'function address not in PLATFORM_FUNCTION_ORIGINS' })
}

/** A page, a redirect or the gateway responded, so PLATFORM_URL is wrong. */
const isElsewhere = (status: number, text: string, body: unknown): boolean =>
  (status >= 300 && status < 400) ||
  ((status < 300 || status === 404) && text !== '' && body === undefined) ||
  (status === 404 && GatewayError.safeParse(body).success)

// HTTP trims header values, so "acme " would become the workspace "acme" of another tenant.
function soundWorkspace(workspace: string): string {
  if (!WorkspaceName.safeParse(workspace).success)
    throw new DependencyError('platform_refused', { detail: 'workspace' })
  return workspace
}

function judge(status: number, text: string, wait: unknown): PlatformAnswer {
  const body = parse(text)
  if (isElsewhere(status, text, body)) throw noPlatform(status)
  if (status < 300 || status === 404 || status === 409) return { status, body }
  const detail = detailOf(status, body)
  if (status === 429 || status === 408 || status >= 500) {
    // A proxy in front of another platform may send a date instead of seconds.
    throw new DependencyError('platform_unavailable', {
      retry: { afterSeconds: retryAfterSeconds(wait, Date.now()) },
      detail,
    })
  }
  if (status === 401 || status === 403) throw misconfigured(`${detail}: PLATFORM_API_KEY is not accepted`)
  throw new DependencyError('platform_refused', { detail })
}

/** Only codes of the contract are reported. Other texts come from third parties. */
function detailOf(status: number, body: unknown): string {
  const word = Refusal.safeParse(body).data?.error
  return word === undefined ? String(status) : `${status} ${word}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
