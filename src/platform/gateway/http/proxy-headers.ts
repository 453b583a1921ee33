import type { IncomingHttpHeaders } from 'node:http'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Headers } from '../domain/workload.ts'

/** RFC 9110, section 7.6.1: these are about one connection and end with it. */
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

/**
 * Workloads answer at the address where people sign in. What a browser would apply to all of it is ours to say, and a
 * page of a workload is shown without an origin of its own: its scripts do not run, and no cookie is its.
 */
const originWide = ['clear-site-data', 'service-worker-allowed', 'public-key-pins', 'alt-svc', 'nel', 'report-to']
const confinedPage = "sandbox; default-src 'none'; frame-ancestors 'none'"

export type ProxyHeaders = ReturnType<typeof proxyHeaders>

/** What passes the gateway, each way. */
export function proxyHeaders({ authorization, workspace, source, errorCode }: BrandedHeaders) {
  const ours = authorization.toLowerCase()
  const marks = [source, errorCode].map((name) => name.toLowerCase())
  const keptHere = new Set([...hopByHop, ours, workspace.toLowerCase(), 'host', 'expect', 'cookie'])
  const keptBack = new Set([...hopByHop, ...marks, 'x-request-id', 'set-cookie', ...originWide])
  return {
    /**
     * What a workload may see of a request. The credential for the platform stays here: it is the branded header, or,
     * when that is missing, `Authorization`; with both, the second one is meant for the workload.
     */
    forwarded(headers: IncomingHttpHeaders): Headers {
      const kept = without(headers, keptHere)
      if (headers[ours] === undefined) delete kept.authorization
      return kept
    },

    /** What a caller may see of an answer, over the headers that every answer has. Our own marks cannot be forged. */
    answered(headers: Headers, always: Headers): Headers {
      const answered = without(headers, keptBack)
      const decided = answered['cache-control']
      // Not by spreading, which is slower for objects that were filled name by name.
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

/** A sender may name more headers that end with the connection, in several lines too. */
const namedIn = (connection: string | string[]): string[] =>
  String(connection)
    .split(',')
    .map((name) => name.trim().toLowerCase())
