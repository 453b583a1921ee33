// What HTTP can say in two ways, and two readers may understand differently: a proxy in front and the program behind it,
// or the log and the route. Such requests are refused before a route sees them. What every request pays for it is a few
// comparisons; only one that looks odd is looked at closely.
import type { IncomingMessage } from 'node:http'
import { Secret } from '../crypto/secret.ts'
import { isUtf8 } from './json-body.ts'

export type Defect = { status: 400 | 415 | 421; detail: string }

export type RequestRules = {
  /** Whether the program is known by the host that the request names. */
  isOurHost(req: IncomingMessage): boolean
  /** Addresses that probes ask for by IP address. */
  probes: readonly string[]
  /** Headers of the program that have one value, in lower case. */
  singular?: readonly string[]
  /** Whether its path and body belong to somebody else, and are passed on as they are. */
  isPassedOn?(req: IncomingMessage): boolean
  /** How our keys begin, and who is told of one that came in an address. */
  keys: { prefix: string; exposed(key: Secret, req: IncomingMessage): void }
}

/** RFC 9110, section 5.3: these are no lists, so a sender must not repeat them, and readers differ in which they take. */
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

/** Returns undefined if there is nothing wrong with how the request is put. */
export function requestDefects(rules: RequestRules): (req: IncomingMessage) => Defect | undefined {
  const { isOurHost, isPassedOn = () => false } = rules
  const singular = new Set([...singularHeaders, ...(rules.singular ?? [])])
  const probes = new Set(rules.probes)
  const keyDefect = keyInAddress(rules.keys)
  return (req) => {
    const { url = '', headers } = req
    // RFC 9112, section 3.2: what begins otherwise is meant for a proxy, or for the server as a whole.
    if (url.charCodeAt(0) !== slash) return bad('Name the path alone in the request line, from its first slash on.')
    const repeated = hasRepeats(req) ? repeatedHeader(req, singular) : undefined
    if (repeated) return bad(`The header ${repeated} may be sent once.`)
    if (!isOurHost(req) && !probes.has(url)) return hostDefect(headers.host)
    const defect = keyDefect(req) ?? framingDefect(req)
    if (defect || isPassedOn(req)) return defect
    return spellingDefect(url) ?? charsetDefect(headers)
  }
}

const slash = '/'.charCodeAt(0)

const bad = (detail: string): Defect => ({ status: 400, detail })

/** Names are keys of one object, so fewer keys than lines mean a name that came twice. */
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

/** RFC 9110, section 15.5.20: 421 says that the request was well put and sent to the wrong place. */
const hostDefect = (host: string | undefined): Defect =>
  host !== undefined && /^([\w.~-]+|\[[\da-f:.]+\])(:\d{1,5})?$/i.test(host)
    ? { status: 421, detail: 'This server is not known by that host. Its operator sets PUBLIC_URL and ALLOWED_HOSTS.' }
    : bad('The header host is not valid.')

function keyInAddress({ prefix, exposed }: RequestRules['keys']) {
  // A whole value: a code or a token of somebody else may hold these letters somewhere in its middle.
  const whole = new RegExp(`(?:[^\\w-]|%[\\da-fA-F]{2})(${prefix}[\\w-]{43,100})(?![\\w-])`)
  return (req: IncomingMessage): Defect | undefined => {
    const { url = '' } = req
    const key = url.includes(prefix) ? whole.exec(url)?.[1] : undefined
    if (key === undefined) return undefined
    exposed(new Secret(key), req)
    return bad(
      'An API key does not belong in an address, where logs and browsers keep it. Send it as "Authorization: Bearer …", and replace this one: it counts as leaked.',
    )
  }
}

/** RFC 9112, section 6.1: a coding we do not undo, or one in a version that has none, is no framing to rely on. */
function framingDefect({ headers: { 'transfer-encoding': coding }, httpVersion }: IncomingMessage): Defect | undefined {
  if (coding === undefined || (httpVersion === '1.1' && coding.toLowerCase() === 'chunked')) return undefined
  return bad('The transfer coding must be chunked, over HTTP/1.1.')
}

/**
 * RFC 3986, section 6.2.2: spellings that mean the same path. One address has one spelling here, so that whoever watches
 * or guards an address in front of us sees what we serve.
 */
function spellingDefect(url: string): Defect | undefined {
  const query = url.indexOf('?')
  const path = query < 0 ? url : url.slice(0, query)
  return oddSpelling.test(path) ? bad('The path is not spelled as our addresses are.') : undefined
}

/** `//`, `/./`, `/../`, a backslash, `#`, or letters, digits, `-._~`, `/` and `\` behind a percent sign. */
const oddSpelling = /\/\/|\/\.{1,2}(?:\/|$)|[\\#]|%(?:2[defDEF]|3\d|[46][1-9a-fA-F]|[57][\daA]|5[cfCF]|7[eE])/

function charsetDefect({ 'content-type': type }: IncomingMessage['headers']): Defect | undefined {
  if (type === undefined || type === 'application/json' || isUtf8(type)) return undefined
  return { status: 415, detail: 'Send the body in UTF-8.' }
}
