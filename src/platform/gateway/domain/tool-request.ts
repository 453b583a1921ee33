import { type Integration, protocolOf, type Tool } from './integration.ts'
import { mailMessage } from './mail-message.ts'

export type Arguments = Record<string, unknown>
export type HttpCall = { method: Tool['request']['method']; url: URL; body: unknown; api: Integration['api'] }

type Reach = Pick<Integration, 'apiHosts' | 'endpoints' | 'issuer' | 'api'>

/** Turns a tool and its arguments into the call it stands for. Throws when that call would leave the integration's hosts. */
export function toolRequest({ request }: Tool, given: Arguments, reach: Reach): HttpCall {
  const args = { ...given, ...derivedArguments(request.derived, given) }
  const url = new URL(request.url.replace(placeholder, (_, name) => pathSegment(text(args[name]))))
  assertInsideHosts(url, reach)
  for (const [name, template] of Object.entries(request.query ?? {})) {
    const value = filled(template, args)
    if (value !== undefined) url.searchParams.set(name, text(value))
  }
  return { method: request.method, url, body: filled(request.body, args), api: reach.api }
}

/** No redirect is followed and no other host is named, so an access token goes where it was meant for and nowhere else. */
export function assertInsideHosts(url: URL, reach: Reach): void {
  if (!reach.apiHosts.includes(url.host))
    throw new OutsideReach(`${url.host} is not one of the hosts of this integration.`)
  if (url.protocol !== protocolOf(reach)) throw new OutsideReach(`${url.protocol} is not allowed here.`)
  if (url.username || url.password) throw new OutsideReach('The address must not carry a credential.')
}

export class OutsideReach extends Error {}

const placeholder = /\{([A-Za-z0-9_]+)\}/g
const onlyPlaceholder = /^\{([A-Za-z0-9_]+)\}$/

function derivedArguments(derived: Tool['request']['derived'] = {}, args: Arguments): Arguments {
  return Object.fromEntries(
    Object.entries(derived).map(([name, { from }]) => [name, mailMessage(filled(from, args))] as const),
  )
}

/**
 * `.` and `..` stay what they are when encoded, and would climb: as a segment they are refused. Nothing would name the
 * folder instead of what is in it, which is no small difference to a DELETE.
 */
function pathSegment(value: string): string {
  if (value === '') throw new OutsideReach('An argument that is part of the address must not be empty.')
  if (value === '.' || value === '..') throw new OutsideReach('An argument must not be . or ..')
  return encodeURIComponent(value)
}

/** A member whose argument was not given is left out, so optional arguments need no second template. */
function filled(template: unknown, args: Arguments): unknown {
  if (typeof template === 'string') {
    const [, name] = onlyPlaceholder.exec(template) ?? []
    return name ? args[name] : template.replace(placeholder, (_, inner) => text(args[inner]))
  }
  if (Array.isArray(template)) return template.map((item) => filled(item, args)).filter((item) => item !== undefined)
  if (typeof template !== 'object' || template === null) return template
  const members = Object.entries(template).map(([name, value]) => [name, filled(value, args)] as const)
  return Object.fromEntries(members.filter(([, value]) => value !== undefined))
}

const text = (value: unknown): string =>
  value === undefined || value === null ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
