import type { IncomingHttpHeaders } from 'node:http'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Headers } from '../domain/workload.ts'

/** RFC 9110, section 7.6.1: hop-by-hop headers. */
const hopByHop = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]

/** Workloads share the origin of the sign-in pages, so these headers are dropped and pages are sandboxed. */
const originWide = ['clear-site-data', 'service-worker-allowed', 'public-key-pins', 'alt-svc', 'nel', 'report-to']
const confinedPage = "sandbox; default-src 'none'; frame-ancestors 'none'"

export function proxyHeaders({ authorization, workspace, source, errorCode }: BrandedHeaders) {
  const ours = authorization.toLowerCase()
  const marks = [source, errorCode].map((name) => name.toLowerCase())
  const keptHere = new Set([...hopByHop, ours, workspace.toLowerCase(), 'host', 'expect', 'cookie'])
  const keptBack = new Set([...hopByHop, ...marks, 'x-request-id', 'set-cookie', ...originWide])
  return {
    /** Removes the platform's credential. `Authorization` is the workload's only if the branded header is sent. */
    forwarded(headers: IncomingHttpHeaders): Headers {
      const kept = without(headers, keptHere)
      if (headers[ours] === undefined) delete kept.authorization
      return kept
    },

    answered(headers: Headers, always: Headers): Headers {
      const answered = without(headers, keptBack)
      const decided = answered['cache-control']
      // Spreading is slower for objects that are filled member by member.
      Object.assign(answered, always)
      if (decided !== undefined) answered['cache-control'] = decided
      answered['content-security-policy'] = confinedPage
      answered[source] = 'workload'
      return answered
    },
  }
}

function without(headers: IncomingHttpHeaders, dropped: ReadonlySet<string>): Headers {
  const kept: Headers = {}
  for (const name in headers) {
    const value = headers[name]
    if (value !== undefined && !dropped.has(name)) kept[name] = value
  }
  const { connection } = headers
  if (connection === undefined || connection === 'keep-alive') return kept
  for (const name of namedIn(connection)) delete kept[name]
  return kept
}

const namedIn = (connection: string | string[]): string[] =>
  String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase())
