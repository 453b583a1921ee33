import { Agent, type Dispatcher } from 'undici'
import { FetchError, guardedDispatchers } from '../../../kit/fetch/guarded-fetch.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Headers, Serve, WorkloadAnswer, WorkloadRequest } from '../domain/workload.ts'
import { ArrivingBody } from './arriving-body.ts'
import { type UpstreamAddress, upstreamAddress } from './upstream-address.ts'

export type ModelServers = { at(url: string): Serve | undefined; close(): Promise<void> }

/** Servers whose addresses tenants chose: guarded as callbacks are. Returns undefined for one that is not called. */
export function modelServers({ allow, silentForMs }: { allow: readonly string[]; silentForMs: number }): ModelServers {
  const limits = { connections: 256, headersTimeout: silentForMs, bodyTimeout: silentForMs, keepAliveTimeout: 30_000 }
  const dispatchers = guardedDispatchers({ allow }, limits)
  return {
    at(url) {
      const dispatcher = URL.canParse(url) ? dispatchers.for(new URL(url)) : undefined
      return dispatcher && (async (request) => answerOf(dispatcher, upstreamAddress(url), request))
    },
    close: dispatchers.close,
  }
}

export type Upstreams = { at(url: string): Serve; close(): Promise<void> }

/**
 * Requests to servers that run workloads: streamed both ways, ended with the caller. A workload may be silent for so
 * long before its answer, and between two pieces of it, unless a request says how long.
 */
export function upstreams({ silentForMs }: { silentForMs: number }): Upstreams {
  const dispatcher = new Agent({
    connections: 256,
    headersTimeout: silentForMs,
    bodyTimeout: silentForMs,
    keepAliveTimeout: 30_000,
    connect: { timeout: 5_000 },
  })
  return {
    at(url) {
      const address = upstreamAddress(url)
      return async (request) => answerOf(dispatcher, address, request)
    },
    close: () => dispatcher.destroy(),
  }
}

/** Resolves with the head of the answer; its body may still be on its way then. */
function answerOf(dispatcher: Dispatcher, { origin, pathTo }: UpstreamAddress, request: WorkloadRequest) {
  const { method, headers, body, signal, silentForMs } = request
  const path = pathTo(request.path)
  return new Promise<WorkloadAnswer>((resolve, reject) => {
    let arriving: ArrivingBody | undefined
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
          if (status < 200) return // an interim answer; the real one follows
          arriving = new ArrivingBody(controller)
          resolve({ status, headers: answered as Headers, body: arriving })
        },
        onResponseData: (_, chunk) => arriving?.add(chunk),
        onResponseEnd() {
          whole = true
          arriving?.end()
        },
        onResponseError(_, error) {
          whole = true
          if (arriving) return arriving.fail(error)
          // A body that breaks off or is too large is the caller's doing, and has its own answer.
          if (error instanceof Failure) return reject(error)
          reject(new Failure('workload_unavailable', sentenceFor(error), { cause: error }))
        },
      },
    )
  })
}

function sentenceFor(error: unknown): string {
  const { code = '', cause } = error as { code?: string; cause?: unknown }
  if ([error, cause].some((each) => each instanceof FetchError && each.kind === 'blocked'))
    return 'The address of the workload is not called from here.'
  return /TIMEOUT/.test(code) ? 'The workload did not answer in time.' : 'The workload could not be reached.'
}
