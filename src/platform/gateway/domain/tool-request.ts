import type { Integration, Tool } from './integration.ts'

export type Arguments = Record<string, unknown>
export type HttpCall = { method: Tool['request']['method']; url: URL; body: unknown }

/** Turns a tool and its arguments into the call it stands for. Throws when that call would leave the integration's hosts. */
export function toolRequest({ request }: Tool, args: Arguments, { apiHosts }: Pick<Integration, 'apiHosts'>): HttpCall {
  const url = new URL(request.url.replace(placeholder, (_, name) => encodeURIComponent(text(args[name]))))
  if (!apiHosts.includes(url.host)) throw new Error(`${url.host} is not one of the hosts of this integration`)
  for (const [name, template] of Object.entries(request.query ?? {})) {
    const value = filled(template, args)
    if (value !== undefined) url.searchParams.set(name, text(value))
  }
  return { method: request.method, url, body: filled(request.body, args) }
}

const placeholder = /\{([A-Za-z0-9_]+)\}/g
const onlyPlaceholder = /^\{([A-Za-z0-9_]+)\}$/

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
