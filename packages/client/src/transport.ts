import { randomUUID } from 'node:crypto'
import { type AttemptResult, tryOnce } from './answers.ts'
import { ApiError, ArgumentError, type UnreachableError } from './errors.ts'
import { operationTable } from './operations.ts'
import { backoffMs, type RetrySettings, sleep } from './retries.ts'
import type { Answer, Body, OperationId, Params, Query } from './types.ts'

export type ClientSettings = {
  /** The public address of the deployment, such as https://connect.example.com. */
  url: string | URL | undefined
  apiKey: string | undefined
  retries?: RetrySettings | undefined
  /** Timeout of one attempt. Default: 30 seconds. */
  timeoutMs?: number | undefined
  /** Replaces Node's `fetch`, for a proxy or a test. */
  fetch?: typeof fetch | undefined
}

export type CallOptions = {
  /** For a POST that your program may repeat: the same key does the work once. Default: a random key per call. */
  idempotencyKey?: string | undefined
  signal?: AbortSignal | undefined
  /** Overrides the client's `timeoutMs`. */
  timeoutMs?: number | undefined
  /** Overrides the client's `retries`. */
  retries?: RetrySettings | undefined
}

export type Input<Op extends OperationId> = (Params<Op> extends undefined ? unknown : { params: Params<Op> }) & {
  query?: Query<Op> | undefined
  body?: Body<Op> | undefined
}

export type Send = <Op extends OperationId>(
  operation: Op,
  input: Input<Op>,
  options?: CallOptions,
) => Promise<Answer<Op>>

type Attempt = {
  send(signal: AbortSignal): Promise<Response>
  /** For error messages. */
  address: string
  mayRepeat: boolean
  timeoutMs: number
  signal: AbortSignal | undefined
}

const version = '0.4.0-dev'

const sample = 'https://connect.example.com'

/** The key is in a closure, so printing the client does not show it. */
export function openDeployment(settings: ClientSettings) {
  if (!settings) throw new ArgumentError('createCauseway needs the url of your deployment and an apiKey.')
  const base = baseOf(settings.url)
  if (!settings.apiKey) throw new ArgumentError('apiKey is missing: give createCauseway an API key of your deployment.')
  const { fetch: send = fetch, apiKey } = settings
  return { base, send, authorization: () => `Bearer ${apiKey}` }
}

export type Deployment = ReturnType<typeof openDeployment>

const userAgent = `causeway-client/${version} node/${process.versions.node}`

/** Sends operations by name. */
export function openTransport({ base, send, authorization }: Deployment, settings: ClientSettings): Send {
  const { timeoutMs = 30_000, retries = {} } = settings
  const common = { accept: 'application/json', authorization: authorization(), 'user-agent': userAgent }
  return async (operation, input, options = {}) => {
    const [method, path] = operationOf(operation)
    const { params, query, body } = (input ?? {}) as { params?: Record<string, string>; query?: object; body?: unknown }
    const headers = {
      ...common,
      ...(method === 'POST' && { 'idempotency-key': options.idempotencyKey ?? randomUUID() }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
    }
    const address = `${base}${pathWith(path, params)}${queryText(query)}`
    const sent = {
      method,
      headers,
      // Not followed: the key must not be sent to another address.
      redirect: 'manual',
      ...(body !== undefined && { body: JSON.stringify(body) }),
    } as const
    const answer = await repeat(
      { ...retries, ...options.retries },
      {
        send: (signal) => send(address, { ...sent, signal }),
        address: base,
        // A repeated PATCH could undo another client's change. A POST has an idempotency key.
        mayRepeat: method !== 'PATCH',
        timeoutMs: options.timeoutMs ?? timeoutMs,
        signal: options.signal,
      },
    )
    return answer as Answer<typeof operation>
  }
}

function operationOf(operation: OperationId) {
  if (Object.hasOwn(operationTable, operation)) return operationTable[operation]
  throw new ArgumentError(`There is no operation ${operation}: operations are named as in the OpenAPI document.`)
}

/** Every request carries the API key, so http is for loopback only. */
function baseOf(url: string | URL | undefined): string {
  if (url === undefined || url === '') {
    throw new ArgumentError(`url is missing: give createCauseway the address of your server, such as ${sample}.`)
  }
  if (!/^https?:\/\//i.test(String(url)) || !URL.canParse(String(url)))
    throw new ArgumentError(notAnAddress(String(url)))
  const { protocol, hostname, origin, pathname } = new URL(String(url))
  if (protocol === 'http:' && !isLocal(hostname)) {
    throw new ArgumentError(`url must begin with https:// (http:// works for localhost only), such as ${sample}.`)
  }
  // Accept the address of the API as well as of the deployment.
  return `${origin}${pathname.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1`
}

const isLocal = (hostname: string) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname)

function notAnAddress(url: string): string {
  const hasScheme = url.includes('://') || !URL.canParse(`https://${url}`)
  if (hasScheme) return `url must begin with https:// or, for localhost, http://, such as ${sample}.`
  const scheme = isLocal(new URL(`https://${url}`).hostname) ? 'http' : 'https'
  return `url must begin with http:// or https://. Write "${scheme}://${url}".`
}

const pathWith = (path: string, params: Record<string, string> = {}) =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    // An empty ID would address another operation: GET /links/ is a list.
    if (!params[name]) throw new ArgumentError(`${name} must not be empty.`)
    return encodeURIComponent(params[name])
  })

function queryText(query: object = {}): string {
  const given = Object.entries(query).filter(([, value]) => value !== undefined)
  const texts = given.map(([name, value]): [string, string] => [name, String(value)])
  return texts.length === 0 ? '' : `?${new URLSearchParams(texts)}`
}

/** Returns the response body. */
async function repeat({ maxAttempts = 4, maxWaitMs = 60_000 }: RetrySettings, attempt: Attempt): Promise<unknown> {
  const lastStart = Date.now() + maxWaitMs
  for (let sent = 1; ; sent += 1) {
    const result: AttemptResult = await inTime(attempt, (send) => tryOnce(send, attempt.address))
    if ('answer' in result) return result.answer
    attempt.signal?.throwIfAborted()
    const { error, waitMs: delayMs = backoffMs(sent, Math.random()) } = result
    const isOver = sent >= maxAttempts || Date.now() + delayMs > lastStart
    if (!attempt.mayRepeat || !isPassing(error) || isOver) throw error
    await sleep(delayMs, attempt.signal)
  }
}

/**
 * Aborts with the caller's signal or after the timeout. AbortSignal.any() with AbortSignal.timeout() does not work here:
 * Node 20 may garbage-collect the timeout, which then never fires.
 */
async function inTime<T>({ send, signal, timeoutMs }: Attempt, act: (send: () => Promise<Response>) => Promise<T>) {
  const ending = new AbortController()
  const onAbort = () => ending.abort(signal?.reason)
  const timer = setTimeout(() => ending.abort(new DOMException('It took too long.', 'TimeoutError')), timeoutMs)
  signal?.addEventListener('abort', onAbort, { once: true })
  if (signal?.aborted) onAbort()
  try {
    return await act(() => send(ending.signal))
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener('abort', onAbort)
  }
}

function isPassing(error: ApiError | UnreachableError): boolean {
  if (!(error instanceof ApiError)) return true
  return error.status === 429 || error.status >= 500 || error.code === 'idempotency_key_busy'
}
