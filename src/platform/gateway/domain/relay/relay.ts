import { Failure } from '../../../shared/domain/failure.ts'
import { type Integration, protocolOf } from '../integration.ts'
import type { ToolPolicy } from '../tool-policy.ts'
import { assertInsideHosts, OutsideReach } from '../tool-request.ts'
import type { Headers } from '../workload.ts'
import { maskText } from './byte-mask.ts'
import { basicCredential, gitHostFor, isGitFetch } from './git-host.ts'

/** The name of the relay in tool policies and recorded calls. */
export const relayName = 'relay'

/** Stands for the first API host of an account. */
const defaultHost = '-'

/** `rest` is the path and query as they were sent. */
export type RelayAddress = { host: string; rest: string }

type Account = { integration: Integration; connection: { name: string } }

/** The account whose app has this API host. */
export function accountAt<A extends Account>(accounts: readonly A[], host: string): A {
  const reached = accounts.filter(({ integration }) =>
    host === defaultHost ? integration.apiHosts.length > 0 : reachableHosts(integration).includes(host),
  )
  const [found, second] = reached
  if (!found) {
    const hosts = hostsOf(accounts)
    const known = hosts.length > 0 ? `Its hosts are ${hosts.join(', ')}.` : 'Its apps have no HTTP API here.'
    throw new Failure('input_invalid', `${host} is not an API host of this function. ${known}`)
  }
  if (second) {
    const names = reached.map(({ connection }) => connection.name).join(' and ')
    throw new Failure('input_invalid', `${host} belongs to ${names}: use a function with one of these connections.`)
  }
  return found
}

export const hostsOf = (accounts: readonly Account[]): string[] => [
  ...new Set(accounts.flatMap(({ integration }) => reachableHosts(integration))),
]

const reachableHosts = ({ apiHosts, gitHosts }: Pick<Integration, 'apiHosts' | 'gitHosts'>): string[] => [
  ...apiHosts,
  ...gitHosts.map(({ host }) => host),
]

export function relayUrl(method: string, { host, rest }: RelayAddress, integration: Integration): URL {
  const named = host === defaultHost ? (integration.apiHosts[0] ?? '') : host
  const address = `${protocolOf(integration)}//${named}${rest.startsWith('/') ? '' : '/'}${rest}`
  if (!URL.canParse(address)) throw new Failure('input_invalid', 'The path is not valid.')
  const url = new URL(address)
  if (gitHostFor(integration, method, url) && url.protocol === protocolOf(integration)) return url
  try {
    assertInsideHosts(url, integration)
  } catch (error) {
    throw error instanceof OutsideReach ? new Failure('input_invalid', error.message) : error
  }
  return url
}

/** `URL` has resolved dots. An encoded slash could lead out of an allowed path at a server that decodes it first. */
export function assertAllowed(policy: ToolPolicy, method: string, url: URL, integration: Integration): void {
  const { pathname } = url
  const readsOnly = isReading(method) || isGitFetch(integration, method, url)
  const isAllowed = policy.isOffered(relayName, readsOnly) && policy.mayRelay(method, pathname)
  if (isAllowed) return
  throw new Failure('role_missing', `The operator's policy does not allow ${method} ${pathname}.`)
}

const isReading = (method: string) => method === 'GET' || method === 'HEAD' || method === 'OPTIONS'

/** Credentials, what a proxy adds, what a browser adds, and what would select another method or path. */
const keptHere =
  /^(authorization|cookie2?|host|expect|accept-encoding|forwarded|via|x-real-ip|x-client-ip|true-client-ip|origin|referer|traceparent|tracestate|baggage|x-http-method|x-http-method-override|x-method-override|x-original-url|x-rewrite-url)$|^(proxy-|sec-|x-forwarded-|cf-)/

/** CGI makes one variable of `X-Name` and `X_Name` (RFC 3875, section 4.1.18). */
const isKeptHere = (name: string): boolean => keptHere.test(name.replaceAll('_', '-'))

/** Say nothing about what is asked, and differ between two sendings of one request. */
const notCompared =
  /^(accept|accept-language|connection|content-length|date|keep-alive|priority|transfer-encoding|user-agent|x-correlation-id|x-request-id)$/

/** The headers that an approval is for. Others would make it a different request. */
export const comparedHeaders = (given: Headers): Headers =>
  Object.fromEntries(Object.entries(given).filter(([name]) => !isKeptHere(name) && !notCompared.test(name)))

type Sent = { method: string; headers: Headers; url: URL }

/** Headers of the profile and the token replace the caller's. The response must be readable here. */
export function relayHeaders({ method, headers, url }: Sent, integration: Integration, token: string): Headers {
  const kept = Object.entries(headers).filter(([name]) => !isKeptHere(name))
  return {
    'user-agent': 'causeway',
    ...Object.fromEntries(kept),
    ...credentialHeaders(integration, token, gitHostFor(integration, method, url)),
    'accept-encoding': 'identity',
  }
}

/** The headers of an API would change what Git accepts. */
function credentialHeaders({ api }: Integration, token: string, git: ReturnType<typeof gitHostFor>): Headers {
  if (git) return { authorization: `Basic ${basicCredential(git, token)}` }
  const own = Object.entries(api.headers).map(([name, value]) => [name.toLowerCase(), value])
  return { ...Object.fromEntries(own), [api.tokenHeader.toLowerCase()]: `${api.tokenPrefix}${token}` }
}

/** Also the forms in which the token is sent. */
export const sentSecrets = ({ gitHosts }: Integration, token: string): string[] =>
  gitHosts.map((git) => basicCredential(git, token))

type Answered = { headers: Headers; url: URL; secrets: readonly string[]; reach: Integration; relay: string }

/** Names come in lower case, with the characters of RFC 9110, section 5.6.2, only. */
const asName = (secret: string): string => secret.toLowerCase().replace(/[^a-z0-9!#$%&'*+.^_`|~-]/g, '')

/** A redirect to an API host leads back to the relay; the caller decides about others. */
export function answeredHeaders({ headers, url, secrets, reach, relay }: Answered): Headers {
  const unsafe = secrets.map(asName)
  const shown = Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => !unsafe.some((secret) => name.includes(secret)))
      .map(([name, value]) => [
        name,
        Array.isArray(value) ? value.map((each) => maskText(each, secrets)) : maskText(value, secrets),
      ]),
  )
  for (const name of ['location', 'content-location']) {
    const { [name]: value } = shown
    if (typeof value === 'string') shown[name] = relayedAddress(value, { url, reach, relay })
  }
  return shown
}

function relayedAddress(value: string, { url, reach, relay }: Pick<Answered, 'url' | 'reach' | 'relay'>): string {
  if (!URL.canParse(value, url.href)) return value
  const target = new URL(value, url)
  const isInside = reach.apiHosts.includes(target.host) && target.protocol === url.protocol
  return isInside ? `${relay}/${target.host}${target.pathname}${target.search}${target.hash}` : value
}
