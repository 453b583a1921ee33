import type { IncomingHttpHeaders } from 'node:http'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import { hopByHop, withoutHeaders } from '../../../kit/streams/passed-headers.ts'
import type { Headers } from '../domain/workload.ts'

/** Workloads share the origin of the sign-in pages, so these headers are dropped and pages are sandboxed. */
const originWide = ['clear-site-data', 'service-worker-allowed', 'public-key-pins', 'alt-svc', 'nel', 'report-to']
/** With them, a proxy in front of the platform sends a file of its own instead (nginx, Apache, lighttpd). */
export const proxyCommands = ['x-accel-redirect', 'x-sendfile', 'x-lighttpd-send-file']
const confinedPage = "sandbox; default-src 'none'; frame-ancestors 'none'"

export function proxyHeaders({ authorization, workspace, source, errorCode }: BrandedHeaders) {
  const ours = authorization.toLowerCase()
  const marks = [source, errorCode].map((name) => name.toLowerCase())
  const keptHere = new Set([...hopByHop, ours, workspace.toLowerCase(), 'host', 'expect', 'cookie'])
  const keptBack = new Set([...hopByHop, ...marks, 'x-request-id', 'set-cookie', ...originWide, ...proxyCommands])
  return {
    /** Removes the platform's credential. `Authorization` is the workload's only if the branded header is sent. */
    forwarded(headers: IncomingHttpHeaders): Headers {
      const kept = withoutHeaders(headers, keptHere)
      if (headers[ours] === undefined) delete kept.authorization
      return kept
    },

    answered(headers: Headers, always: Headers): Headers {
      const answered = withoutHeaders(headers, keptBack)
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
