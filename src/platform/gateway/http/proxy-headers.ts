import type { Request } from 'express'
import type { BrandedHeaders } from '../../../contract/headers.ts'
import type { Headers } from '../domain/workload.ts'

/** RFC 9110, section 7.6.1: these are about one connection and end with it. */
const hopByHop = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * What a workload may see of a request. The credential for the platform stays here: it is the branded header, or,
 * when that is missing, `Authorization`; with both, the second one is meant for the workload.
 */
export function forwardedHeaders(req: Request, { authorization, workspace }: BrandedHeaders): Headers {
  const ours = authorization.toLowerCase()
  const dropped = new Set([...named(req.headers.connection), ours, workspace.toLowerCase(), 'host', 'expect'])
  if (req.headers[ours] === undefined) dropped.add('authorization')
  return kept(req.headers as Headers, dropped)
}

/** What a caller may see of an answer. Our own marks cannot be forged by a workload. */
export function answeredHeaders(headers: Headers, { source, errorCode }: BrandedHeaders): Headers {
  const dropped = new Set([...named(headers.connection), source.toLowerCase(), errorCode.toLowerCase(), 'x-request-id'])
  return { ...kept(headers, dropped), [source]: 'workload' }
}

const kept = (headers: Headers, dropped: ReadonlySet<string>): Headers =>
  Object.fromEntries(
    Object.entries(headers).filter(([name, value]) => value !== undefined && !hopByHop.has(name) && !dropped.has(name)),
  )

const named = (connection: string | string[] | undefined): string[] =>
  String(connection ?? '')
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
