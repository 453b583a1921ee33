import { bodyTypes, type Integration, placeholder, placeholdersIn, protocolOf, type Tool } from './integration.ts'
import { mailMessage } from './mail-message.ts'

export type Arguments = Record<string, unknown>
export type HttpCall = {
  method: Tool['request']['method']
  url: URL
  headers: Readonly<Record<string, string>>
  body: unknown
  bodyType: (typeof bodyTypes)[number]
  api: Integration['api']
}

type Reach = Pick<Integration, 'apiHosts' | 'endpoints' | 'issuer' | 'api'>

export function toolRequest({ request }: Tool, given: Arguments, reach: Reach): HttpCall {
  const { method, query = {}, headers = {}, body, bodyType = bodyTypes[0] } = request
  const args = { ...given, ...derivedArguments(request.derived, given) }
  const url = new URL(request.url.replace(placeholder, (_, name) => pathSegment(text(args[name]))))
  assertToolInside(url, reach)
  for (const [name, template] of Object.entries(query)) {
    for (const value of [filled(template, args)].flat()) {
      if (value !== undefined) url.searchParams.append(name, text(value))
    }
  }
  return { method, url, headers: headersOf(headers, args), body: bodyOf(body, args), bodyType, api: reach.api }
}

/** Arguments cannot change a tool's host, so only the operator can fix the profile. */
function assertToolInside(url: URL, reach: Reach): void {
  try {
    assertInsideHosts(url, reach)
  } catch (error) {
    throw error instanceof OutsideReach ? new MisplacedTool(error.message) : error
  }
}

/** Redirects are not followed and other hosts are rejected, so an access token reaches only its own API. */
export function assertInsideHosts(url: URL, reach: Reach): void {
  if (!reach.apiHosts.includes(url.host))
    throw new OutsideReach(`${url.host} is not one of the hosts of this integration.`)
  if (url.protocol !== protocolOf(reach)) throw new OutsideReach(`${url.protocol} is not allowed for this integration.`)
  if (url.username || url.password) throw new OutsideReach('The URL must not contain credentials.')
}

export class OutsideReach extends Error {}

export class MisplacedTool extends Error {}

const onlyPlaceholder = /^\{([A-Za-z0-9_]+)\}$/

function derivedArguments(derived: Tool['request']['derived'] = {}, args: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(derived).map(([name, { from }]) => [name, mailMessage(filled(from, args) ?? {})] as const),
  )
}

/** A body without arguments is still sent: many searches are `{}`. */
const bodyOf = (template: unknown, args: Arguments): unknown =>
  isRecord(template) ? filledMembers(template, args) : filled(template, args)

function headersOf(templates: Record<string, unknown>, args: Arguments): Record<string, string> {
  const given = Object.entries(templates).map(
    ([name, template]) => [name.toLowerCase(), filled(template, args)] as const,
  )
  return Object.fromEntries(
    given.flatMap(([name, value]) => (value === undefined ? [] : [[name, headerValue(value)] as const])),
  )
}

/** Rejects line breaks, which would start another header. Objects are sent as ASCII JSON. */
export function headerValue(value: unknown): string {
  const line = typeof value === 'object' ? asciiJson(value) : String(value)
  if (!/^[\x20-\x7e]*$/.test(line)) throw new OutsideReach('An argument sent in a header must be printable ASCII.')
  return line
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/** `.` and `..` survive encoding. An empty segment would name the folder instead of its item. */
function pathSegment(value: string): string {
  if (value === '') throw new OutsideReach('An argument used in the URL must not be empty.')
  if (value === '.' || value === '..') throw new OutsideReach('An argument used in the URL must not be `.` or `..`.')
  return encodeURIComponent(value)
}

/** Omits an object if none of its arguments is given, such as `{ "property": "object", "value": "{kind}" }`. */
function filled(template: unknown, args: Arguments): unknown {
  const names = placeholdersIn(template)
  if (names.length > 0 && names.every((name) => args[name] === undefined)) return undefined
  if (Array.isArray(template)) return template.map((item) => filled(item, args)).filter((item) => item !== undefined)
  if (isRecord(template)) return filledMembers(template, args)
  if (typeof template !== 'string') return template
  const [, name] = onlyPlaceholder.exec(template) ?? []
  return name ? args[name] : template.replace(placeholder, (_, inner) => text(args[inner]))
}

function filledMembers(template: Record<string, unknown>, args: Arguments): Record<string, unknown> {
  const members = Object.entries(template).map(([name, value]) => [name, filled(value, args)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const text = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)

export function encodedBody({ body, bodyType }: Pick<HttpCall, 'body' | 'bodyType'>): string | undefined {
  if (body === undefined) return undefined
  if (bodyType === 'application/json') return JSON.stringify(body)
  if (bodyType === 'application/x-www-form-urlencoded') return new URLSearchParams(formPairs(body)).toString()
  return typeof body === 'string' ? body : JSON.stringify(body)
}

/** Nested members use brackets, as Rails and PHP parse them and Stripe documents: `items[0][price]`. */
function formPairs(value: unknown, name = ''): Array<[string, string]> {
  if (value === undefined || value === null) return []
  if (typeof value !== 'object') return name === '' ? [] : [[name, String(value)]]
  return Object.entries(value).flatMap(([key, inner]) => formPairs(inner, name === '' ? key : `${name}[${key}]`))
}
