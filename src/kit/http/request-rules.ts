// Rejects requests that a proxy and this program could read differently, before routing.
import type { IncomingMessage } from 'node:http'
import { Secret } from '../crypto/secret.ts'
import { isUtf8 } from './json-body.ts'

export type Defect = { status: 400 | 415 | 421; detail: string }

type RequestRules = {
  isOurHost(req: IncomingMessage): boolean
  /** Paths that probes may request by IP address. */
  probes: readonly string[]
  /** Further headers that must not repeat, in lower case. */
  singular?: readonly string[]
  /** Whether path and body are passed on unchanged. */
  isPassedOn?(req: IncomingMessage): boolean
  /** `exposed` is called with an API key found in a URL. */
  keys: { prefix: string; exposed(key: Secret, req: IncomingMessage): void }
}

/** RFC 9110, section 5.3: senders must not repeat these. Readers differ in which value they use. */
const singularHeaders = [
  'authorization',
  'content-length',
  'content-type',
  'cookie',
  'expect',
  'host',
  'idempotency-key',
  'origin',
  'proxy-authorization',
  'referer',
  'sec-fetch-dest',
  'sec-fetch-mode',
  'sec-fetch-site',
  'sec-fetch-user',
  'transfer-encoding',
  'user-agent',
]

/** Returns undefined for an unambiguous request. */
export function requestDefects(rules: RequestRules): (req: IncomingMessage) => Defect | undefined {
  const { isOurHost, isPassedOn = () => false } = rules
  const singular = new Set([...singularHeaders, ...(rules.singular ?? [])])
  const probes = new Set(rules.probes)
  const keyDefect = keyInAddress(rules.keys)
  return (req) => {
    const { url = '', headers } = req
    // RFC 9112, section 3.2: only proxies accept other forms.
    if (url.charCodeAt(0) !== slash) return bad('The request line must contain only the path, starting with a slash.')
    const repeated = hasRepeats(req) ? repeatedHeader(req, singular) : undefined
    if (repeated) return bad(`The header ${repeated} must not be repeated.`)
    if (!isOurHost(req) && !probes.has(url)) return hostDefect(headers.host)
    const defect = keyDefect(req) ?? framingDefect(req)
    if (defect || isPassedOn(req)) return defect
    return spellingDefect(url) ?? charsetDefect(headers)
  }
}

const slash = '/'.charCodeAt(0)

const bad = (detail: string): Defect => ({ status: 400, detail })

/** Repeated names share one key. */
const hasRepeats = ({ headers, rawHeaders }: IncomingMessage): boolean =>
  Object.keys(headers).length * 2 !== rawHeaders.length

function repeatedHeader({ rawHeaders }: IncomingMessage, singular: ReadonlySet<string>): string | undefined {
  const seen = new Set<string>()
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = (rawHeaders[at] as string).toLowerCase()
    if (seen.has(name) && singular.has(name)) return name
    seen.add(name)
  }
  return undefined
}

/** RFC 9110, section 15.5.20. */
const hostDefect = (host: string | undefined): Defect =>
  host !== undefined && /^([\w.~-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host)
    ? { status: 421, detail: 'This server does not serve that host. Its operator sets PUBLIC_URL and ALLOWED_HOSTS.' }
    : bad('The header host is not valid.')

function keyInAddress({ prefix, exposed }: RequestRules['keys']) {
  // Foreign codes and tokens may contain the prefix in the middle.
  const whole = new RegExp(`(?:[^\\w-]|%[\\da-fA-F]{2})(${prefix}[\\w-]{43,100})(?![\\w-])`)
  return (req: IncomingMessage): Defect | undefined => {
    const { url = '' } = req
    const key = url.includes(prefix) ? whole.exec(url)?.[1] : undefined
    if (key === undefined) return undefined
    exposed(new Secret(key), req)
    return bad(
      'Do not put an API key into a URL, which logs and browsers keep. Send it as "Authorization: Bearer …", and replace this key: treat it as leaked.',
    )
  }
}

/** RFC 9112, section 6.1. */
function framingDefect({ headers: { 'transfer-encoding': coding }, httpVersion }: IncomingMessage): Defect | undefined {
  if (coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked')) return undefined
  return bad('The transfer coding must be chunked, over HTTP/1.1.')
}

/** RFC 3986, section 6.2.2: equivalent spellings of a path would bypass the rules of a proxy. */
function spellingDefect(url: string): Defect | undefined {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return oddSpelling.test(path) ? bad('The path must be in its canonical form.') : undefined
}

/** `//`, `/./`, `/../`, a backslash, `#`, or percent-encoded letters, digits, `-._~`, `/` and `\`. */
const oddSpelling = /\/\/|\/\.{1,2}(?:\/|$)|[\\#]|%(?:2[defDEF]|3\d|[46][1-9a-fA-F]|[57][\daA]|5[cfCF]|7[eE])/

function charsetDefect({ 'content-type': type }: IncomingMessage['headers']): Defect | undefined {
  if (type === undefined || type === 'application/json' || isUtf8(type)) return undefined
  return { status: 415, detail: 'Send the body in UTF-8.' }
}
