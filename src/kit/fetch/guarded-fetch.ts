// HTTP to untrusted servers: bounded in time and size, no redirects, no private addresses.
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import ipaddr from 'ipaddr.js'
import { Agent, type Dispatcher } from 'undici'
import { Secret } from '../crypto/secret.ts'
import { isCertificateProblem } from './connection-problem.ts'
import { findOutage, type Outage } from './internet-outage.ts'
import { type AnswerHeaders, type WholeAnswer, wholeAnswer } from './whole-answer.ts'

export type FetchErrorKind =
  /** The address is not allowed. */
  | 'blocked'
  /** Nothing was sent: a retry is safe. */
  | 'unreachable'
  /** The request was sent, and no complete response was read. */
  | 'unanswered'
  | 'too_large'

export class FetchError extends Error {
  constructor(
    readonly kind: FetchErrorKind,
    readonly code: string = '',
    /** The part of a response that arrived. It may contain tokens. */
    readonly partial?: Secret<Answer>,
  ) {
    super(`${kind}${code && ` (${code})`}`)
  }
}

export type Answer = { status: number; headers: Record<string, string>; body: Buffer }

export type GuardedRequest = {
  method?: 'GET' | 'POST' | 'DELETE'
  headers?: Record<string, string>
  body?: string | undefined
}

export type GuardedFetch = {
  (url: string, options?: GuardedRequest): Promise<Answer>
  /** Checks the URL without resolving its name. */
  mayCall(url: string): boolean
  close(): Promise<void>
}

export type ResolvingFetch = GuardedFetch & {
  /** Also resolves the name. */
  maySend(url: string): Promise<boolean>
}

export type ProbingFetch = ResolvingFetch & {
  /** Whether this machine is cut off from the internet, so that a failed request to these URLs says nothing. */
  outage(urls: readonly string[]): Promise<Outage | undefined>
}

type GuardOptions = {
  /** `host:port` pairs that may be private or without TLS. */
  allow: readonly string[]
  timeoutMs?: number
  maxBytes?: number
  /** Default: dns.lookup. */
  resolve?: typeof lookup
}

export function guardedFetch(options: GuardOptions): ProbingFetch {
  const { allow, timeoutMs = 10_000, maxBytes = 64 * 1024, resolve = lookup } = options
  const limits = {
    connections: 64,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
    keepAliveTimeout: 30_000,
  }
  const dispatchers = guardedDispatchers({ allow, resolve }, limits)

  const call = async (address: string, request: GuardedRequest = {}): Promise<Answer> => {
    const url = new URL(address)
    const dispatcher = dispatchers.for(url)
    if (!dispatcher) throw new FetchError('blocked')
    return answerOf(url, request, dispatcher, { timeoutMs, maxBytes })
  }
  return Object.assign(call, {
    mayCall: (address: string) => dispatchers.for(new URL(address)) !== undefined,
    maySend: (address: string) => dispatchers.leadsOut(new URL(address)),
    outage: (urls: readonly string[]) =>
      findOutage([...new Set(urls.map((url) => hostOf(new URL(url))))], { resolve, isPublic: isPublicAddress }),
    close: dispatchers.close,
  })
}

export type GuardedDispatchers = {
  /** Undefined for a blocked address. */
  for(url: URL): Dispatcher | undefined
  /** Also resolves the name. */
  leadsOut(url: URL): Promise<boolean>
  close(): Promise<void>
}

/** For streamed responses: the same guard, with limits of the caller. */
export function guardedDispatchers(
  { allow, resolve = lookup }: Pick<GuardOptions, 'allow' | 'resolve'>,
  limits: Agent.Options,
): GuardedDispatchers {
  const open = new Agent({ ...limits, connect: { timeout: 5_000 } })
  const guarded = new Agent({ ...limits, connect: { timeout: 5_000, lookup: publicAddressesOnly(resolve) } })
  const allowed = new Set(allow)
  const isAllowed = (url: URL) => allowed.has(hostAndPort(url))
  return {
    for(url) {
      if (isAllowed(url)) return open
      return isSafe(url) ? guarded : undefined
    },
    leadsOut: async (url) => isAllowed(url) || (isSafe(url) && (await isPublicName(hostOf(url), resolve))),
    close: async () => void (await Promise.all([open.close(), guarded.close()])),
  }
}

async function answerOf(
  url: URL,
  { method = 'GET', headers = {}, body }: GuardedRequest,
  dispatcher: Dispatcher,
  { timeoutMs, maxBytes }: Required<Pick<GuardOptions, 'timeoutMs' | 'maxBytes'>>,
): Promise<Answer> {
  const limit = {
    ms: timeoutMs,
    // The timers of the library accept a byte a second.
    reason: () => new FetchError('unanswered', 'timeout'),
    unsent: () => new FetchError('unreachable', 'timeout'),
  }
  const size = { bytes: maxBytes, reason: () => new FetchError('too_large') }
  let partial: Secret<Answer> | undefined
  const onPartial = (answer: WholeAnswer) => {
    partial = new Secret(flat(answer))
  }
  const path = url.pathname + url.search
  const call = { origin: url.origin, path, method, headers, body: body ?? null, limit, size, onPartial }
  try {
    return flat(await wholeAnswer(dispatcher, call))
  } catch (error) {
    const { kind, code } = error instanceof FetchError ? error : translate(error)
    throw new FetchError(kind, code, partial)
  }
}

const flat = ({ status, headers, body }: WholeAnswer): Answer => ({ status, headers: flatten(headers), body })

const neverSent = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'UND_ERR_CONNECT_TIMEOUT'])

function translate(error: unknown): FetchError {
  const { code = '', cause } = error as { code?: string; cause?: unknown }
  if (cause instanceof FetchError) return cause
  if (error instanceof AggregateError && error.errors.every((each) => neverSent.has(each.code))) {
    return new FetchError('unreachable', code)
  }
  if (neverSent.has(code) || isCertificateProblem(code)) return new FetchError('unreachable', code)
  return new FetchError('unanswered', code)
}

/** As in `allow`. */
export const hostAndPort = ({ hostname, port, protocol }: URL) =>
  `${hostname}:${port || (protocol === 'https:' ? '443' : '80')}`

/** Without the brackets of IPv6. */
const hostOf = ({ hostname }: URL) => hostname.replace(/^\[|\]$/g, '')

function isSafe(url: URL): boolean {
  const host = hostOf(url)
  const isPublic = isIP(host) === 0 ? !innerName.test(host) : isPublicAddress(host)
  return url.protocol === 'https:' && url.port === '' && !url.username && !url.password && isPublic
}

/** Names without a dot, or below a domain reserved for private networks. */
const innerName = /^[^.]*\.?$|(^|\.)(localhost|local|internal|home\.arpa)\.?$/

const isPublicName = (hostname: string, resolve: typeof lookup): Promise<boolean> =>
  new Promise((done) => publicAddressesOnly(resolve)(hostname, { all: true }, (error) => done(error === null)))

/** Checks the addresses of the actual connection, against DNS rebinding. */
const publicAddressesOnly =
  (resolve: typeof lookup): LookupFunction =>
  (hostname, options, callback) => {
    resolve(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, '', 0)
      const blocked = addresses.some(({ address }) => !isPublicAddress(address))
      if (blocked) return callback(new FetchError('blocked'), '', 0)
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      return callback(null, first?.address ?? '', first?.family ?? 4)
    })
  }

/** Only 2000::/3 (IANA global unicast): the library counts `::127.0.0.1` as unicast, but no IPv4 inside IPv6. */
function isPublicAddress(text: string): boolean {
  const address = ipaddr.process(text)
  return address.range() === 'unicast' && (address.kind() === 'ipv4' || address.match(givenOut))
}

const givenOut = ipaddr.IPv6.parseCIDR('2000::/3')

function flatten(headers: AnswerHeaders): Record<string, string> {
  const flat: Record<string, string> = {}
  for (const name in headers) flat[name] = String(headers[name] ?? '')
  return flat
}
