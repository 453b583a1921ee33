import { Agent, type buildConnector, type Dispatcher } from 'undici'
import { FetchError, guardedDispatchers } from '../../../kit/fetch/guarded-fetch.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { ChunkFilter } from '../domain/relay/byte-mask.ts'
import type { Headers, Serve, WorkloadAnswer, WorkloadRequest } from '../domain/workload.ts'
import { ArrivingBody } from './arriving-body.ts'

/** Guards against SSRF, because tenants choose these addresses. `at` returns undefined for a blocked one. */
export function modelServers({ allow, silentForMs }: { allow: readonly string[]; silentForMs: number }) {
  const limits = { connections: 256, headersTimeout: silentForMs, bodyTimeout: silentForMs, keepAliveTimeout: 30_000 }
  const dispatchers = guardedDispatchers({ allow }, limits)
  return {
    at(url: string): Serve | undefined {
      const dispatcher = URL.canParse(url) ? dispatchers.for(new URL(url)) : undefined
      return dispatcher && (async (request) => answerOf(dispatcher, placeOf(url, request), request))
    },
    close: dispatchers.close,
  }
}

export type Upstreams = ReturnType<typeof upstreams>

type UpstreamOptions = { silentForMs: number; connections?: number; connect?: buildConnector.connector }

/**
 * `silentForMs` limits the time to the response headers and between two chunks, unless a request sets its own. `connect`
 * opens connections in another way than by an address.
 */
export function upstreams({ silentForMs, connections = 256, connect }: UpstreamOptions) {
  const dispatcher = new Agent({
    connections,
    headersTimeout: silentForMs,
    bodyTimeout: silentForMs,
    keepAliveTimeout: 30_000,
    connect: connect ?? { timeout: 5_000 },
  })
  return {
    at(url: string): Serve {
      const address = upstreamAddress(url)
      return async (request) =>
        answerOf(dispatcher, { origin: address.origin, path: address.pathTo(request.path) }, request)
    },
    close: () => dispatcher.destroy(),
  }
}

type Place = { origin: string; path: string }

function placeOf(url: string, { path }: WorkloadRequest): Place {
  const { origin, pathTo } = upstreamAddress(url)
  return { origin, path: pathTo(path) }
}

type Options = {
  filterFor?(headers: Headers): ChunkFilter | undefined
  describe?(error: unknown): Failure
}

export function answerOf(
  dispatcher: Dispatcher,
  { origin, path }: Place,
  {
    method,
    headers,
    body,
    signal,
    silentForMs,
    ended,
  }: Omit<WorkloadRequest, 'path' | 'body'> & { body: WorkloadRequest['body'] | Uint8Array },
  { filterFor, describe = workloadFailure }: Options = {},
) {
  return new Promise<WorkloadAnswer>((resolve, reject) => {
    let arriving: ArrivingBody | undefined
    let filter: ChunkFilter | undefined
    let whole = false
    dispatcher.dispatch(
      {
        origin,
        path,
        method: method as Dispatcher.HttpMethod,
        headers,
        ...(body !== undefined && { body: body as NonNullable<Dispatcher.DispatchOptions['body']> }),
        ...(silentForMs !== undefined && { headersTimeout: silentForMs, bodyTimeout: silentForMs }),
      },
      {
        onRequestStart(controller) {
          const stop = () => whole || controller.abort(new Error('the caller is gone'))
          if (signal.aborted) stop()
          else signal.addEventListener('abort', stop, { once: true })
        },
        onResponseStart(controller, status, answered) {
          if (status < 200) return
          arriving = new ArrivingBody(controller)
          filter = filterFor?.(answered as Headers)
          resolve({ status, headers: answered as Headers, body: arriving })
        },
        onResponseData(_, chunk) {
          const shown = filter ? filter.push(chunk) : chunk
          if (shown.length > 0) arriving?.add(shown)
        },
        onResponseEnd() {
          whole = true
          const rest = filter?.end()
          if (rest && rest.length > 0) arriving?.add(rest)
          arriving?.end()
          ended?.()
        },
        onResponseError(_, error) {
          whole = true
          ended?.()
          if (arriving) return arriving.fail(error)
          if (error instanceof Failure) return reject(error)
          reject(describe(error))
        },
      },
    )
  })
}

const workloadFailure = (error: unknown) => new Failure('workload_unavailable', sentenceFor(error), { cause: error })

function sentenceFor(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  if ([error, cause].some((each) => each instanceof FetchError && each.kind === 'blocked'))
    return 'The address of the workload is blocked.'
  return isTimeout(error) ? 'The workload did not answer in time.' : 'The workload could not be reached.'
}

export const isTimeout = (error: unknown): boolean => /TIMEOUT/.test((error as { code?: string }).code ?? '')

type UpstreamAddress = { origin: string; pathTo(path: string): string }

/** Drops the `/v1` of a request if the upstream's address already ends with it. */
export function upstreamAddress(base: string): UpstreamAddress {
  const { origin, pathname, search } = new URL(base)
  const root = pathname.replace(/(?<!\/)\/+$/, '')
  const isVersioned = root.endsWith('/v1')
  return {
    origin,
    pathTo(path) {
      const queryAt = path.indexOf('?')
      const asked = queryAt < 0 ? path : path.slice(0, queryAt)
      const rest = isVersioned && /^\/v1(\/|$)/.test(asked) ? asked.slice(3) : asked
      assertNoClimbing(rest)
      const query = queryAt < 0 ? search : path.slice(queryAt)
      return encoded(origin, `${root}${rest || (root ? '' : '/')}${query}`)
    },
  }
}

/** Checks the raw text because `URL` resolves dots before they could be rejected. */
function assertNoClimbing(path: string): void {
  if (!/[.%\\]/.test(path)) return
  if (/(^|\/)\.{1,2}(\/|$)/.test(decoded(path)))
    throw new Failure('input_invalid', 'The path must not contain `.` or `..`.')
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\\', '/')
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}

function encoded(origin: string, path: string): string {
  if (/^[\w!$%&'()*+,./:;=?@[\]~-]*$/.test(path)) return path
  const { pathname, search } = new URL(`${origin}${path}`)
  return `${pathname}${search}`
}
