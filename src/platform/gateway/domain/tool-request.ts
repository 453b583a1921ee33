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

/** Turns a tool and its arguments into the call it stands for. Throws when that call would leave the integration's hosts. */
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

/** Arguments are no part of a tool's host, so nobody who calls it can put it right. */
function assertToolInside(url: URL, reach: Reach): void {
  try {
    assertInsideHosts(url, reach)
  } catch (error) {
    throw error instanceof OutsideReach ? new MisplacedTool(error.message) : error
  }
}

/** No redirect is followed and no other host is named, so an access token goes where it was meant for and nowhere else. */
export function assertInsideHosts(url: URL, reach: Reach): void {
  if (!reach.apiHosts.includes(url.host))
    throw new OutsideReach(`${url.host} is not one of the hosts of this integration.`)
  if (url.protocol !== protocolOf(reach)) throw new OutsideReach(`${url.protocol} is not allowed here.`)
  if (url.username || url.password) throw new OutsideReach('The address must not carry a credential.')
}

export class OutsideReach extends Error {}

export class MisplacedTool extends Error {}

const onlyPlaceholder = /^\{([A-Za-z0-9_]+)\}$/

function derivedArguments(derived: Tool['request']['derived'] = {}, args: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(derived).map(([name, { from }]) => [name, mailMessage(filled(from, args) ?? {})] as const),
  )
}

/** A body whose arguments were all left out is still a body: many a search is `{}`. */
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

/** A line break would begin another header. What is no text is JSON, and JSON can spell any character in ASCII. */
export function headerValue(value: unknown): string {
  const line = typeof value === 'object' ? asciiJson(value) : String(value)
  if (!/^[\x20-\x7e]*$/.test(line)) throw new OutsideReach('An argument that is sent in a header must be plain ASCII.')
  return line
}

const asciiJson = (value: unknown): string =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * `.` and `..` stay what they are when encoded, and would climb: as a segment they are refused. Nothing would name the
 * folder instead of what is in it, which is no small difference to a DELETE.
 */
function pathSegment(value: string): string {
  if (value === '') throw new OutsideReach('An argument that is part of the address must not be empty.')
  if (value === '.' || value === '..') throw new OutsideReach('An argument must not be . or ..')
  return encodeURIComponent(value)
}

/**
 * What asks for arguments of which none was given is left out with all that stands beside them, so optional arguments
 * need no second template: of `{ "property": "object", "value": "{kind}" }` nothing is sent without a kind.
 */
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
