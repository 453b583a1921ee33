import type { Readable } from 'node:stream'
import { Agent, request } from 'undici'
import { Failure } from '../../shared/domain/failure.ts'
import type { Headers, Serve } from '../domain/workload.ts'

/** How long a workload may be silent: before its answer, and between two pieces of it. */
const silenceMs = 100_000

export type Upstreams = { at(url: string): Serve; close(): Promise<void> }

/** Requests to servers that run workloads: streamed both ways, ended with the caller. */
export function upstreams({ silentForMs = silenceMs } = {}): Upstreams {
  const dispatcher = new Agent({
    connections: 256,
    headersTimeout: silentForMs,
    bodyTimeout: silentForMs,
    keepAliveTimeout: 30_000,
    connect: { timeout: 5_000 },
  })
  return {
    at:
      (base) =>
      async ({ method, path, headers, body, signal }) => {
        try {
          const answer = await request(addressOf(base, path), {
            method,
            headers,
            body: body as Readable | string | null,
            signal,
            dispatcher,
          })
          return { status: answer.statusCode, headers: answer.headers as Headers, body: answer.body }
        } catch (error) {
          // A body that breaks off or is too large is the caller's doing, and has its own answer.
          if (error instanceof Failure) throw error
          throw new Failure('workload_unavailable', sentenceFor(error), { cause: error })
        }
      },
    close: () => dispatcher.destroy(),
  }
}

/** Upstreams are often named with the version that clients also send: it is said once. */
export function addressOf(base: string, path: string): URL {
  const url = new URL(base)
  const [pathname = '', query] = splitOnce(path, '?')
  const root = url.pathname.replace(/(?<!\/)\/+$/, '')
  const rest = root.endsWith('/v1') && /^\/v1(\/|$)/.test(pathname) ? pathname.slice(3) : pathname
  // As text: the parser of addresses would resolve dots, and the path would leave the upstream's own.
  if (/(^|\/)\.{1,2}(\/|$)/.test(decoded(rest))) throw new Failure('input_invalid', 'The path must not climb.')
  return new URL(`${url.origin}${root}${rest || (root ? '' : '/')}${query === undefined ? url.search : `?${query}`}`)
}

function decoded(path: string): string {
  try {
    return decodeURIComponent(path).replaceAll('\\', '/')
  } catch {
    throw new Failure('input_invalid', 'The path is not valid.')
  }
}

function splitOnce(text: string, mark: string): [string, string | undefined] {
  const at = text.indexOf(mark)
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)]
}

function sentenceFor(error: unknown): string {
  const { code = '' } = error as { code?: string }
  return /TIMEOUT/.test(code) ? 'The workload did not answer in time.' : 'The workload could not be reached.'
}
