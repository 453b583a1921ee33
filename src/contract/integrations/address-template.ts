// Addresses of providers with gaps: `https://{subdomain}.example.com/token`. What fills a gap was typed by a user or came
// with an answer, and the address gets a client's secret or a user's token, so a gap takes what its pattern says.
import { z } from 'zod'

/** Names of inputs and of kept values. Callback parameters may have hyphens. */
export const ValueName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'must be a letter, then letters, digits, _ or -')

const gap = /\{([A-Za-z][A-Za-z0-9_-]{0,39})\}/g

export const gapsOf = (template: string): string[] => [...template.matchAll(gap)].map(([, name = '']) => name)

/** `label`: part of a host name. `host`: a whole one, or an https address of which the host counts. `text`: no host at all. */
export const valueKinds = ['label', 'host', 'text'] as const

/** What no pattern of a part of a host name may take: it would leave the provider. */
const hostile = ['evil.example', 'a/b', 'a@b', 'a:1', 'a#b', 'a?b', 'a\\b', 'a%2eb', 'a b', '']
/** And no pattern of a whole host name. */
const foreignHosts = ['127.0.0.1', 'localhost', 'evil.test', '[::1]', '169.254.169.254']

export const valueShape = {
  /** A regular expression for the whole value, as the attribute `pattern` of HTML has it (flag v, anchored at both ends). */
  pattern: z.string().min(1).max(500).refine(isPattern, 'must be a regular expression with the flag v'),
  as: z.enum(valueKinds).default('label'),
}

export type ValueRule = { pattern: string; as: (typeof valueKinds)[number] }

export const isSafeRule = ({ pattern, as }: ValueRule): boolean => {
  const taken = as === 'text' ? [''] : as === 'label' ? hostile : [...hostile, ...foreignHosts]
  return isPattern(pattern) && !taken.some((value) => expression(pattern).test(value))
}

function isPattern(pattern: string): boolean {
  try {
    return Boolean(expression(pattern))
  } catch {
    return false
  }
}

const expression = (pattern: string) => new RegExp(`^(?:${pattern})$`, 'v')

/** Longer than any host name, and than any id of an account that is part of an address. */
const longest = 253

/** As it is kept and filled in; undefined if the rule does not take it. */
export function acceptedValue({ pattern, as }: ValueRule, given: unknown): string | undefined {
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text !== 'string') return undefined
  const value = as === 'text' ? text.trim() : hostOf(text.trim().toLowerCase())
  const isTaken = value !== undefined && value.length <= longest && expression(pattern).test(value)
  return isTaken && !/[\p{Cc}\p{Cs}]/u.test(value) ? value : undefined
}

/** People paste addresses, and providers send them. A port, a user or plain http makes it something else. */
function hostOf(text: string): string | undefined {
  if (!text.includes('://')) return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && !url.port && !url.username && !url.password ? url.hostname : undefined
}

const hostName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

export class ValueMissing extends Error {}

/** Throws `ValueMissing` where a gap has no value. In a host a value stands as it is, anywhere else it is encoded. */
export function filledAddress(template: string, values: Readonly<Record<string, string>>): string {
  const hostEnd = template.indexOf('/', template.indexOf('://') + 3)
  return template.replace(gap, (_, name: string, at: number) => {
    const value = Object.hasOwn(values, name) ? values[name] : undefined
    if (value === undefined) throw new ValueMissing(name)
    const isInHost = hostEnd === -1 || at < hostEnd
    if (isInHost && !hostName.test(value)) throw new ValueMissing(name)
    return isInHost ? value : encodeURIComponent(value)
  })
}

/** The same for `host` or `host:port`. */
export const filledHost = (template: string, values: Readonly<Record<string, string>>): string =>
  new URL(filledAddress(`https://${template}/`, values)).host

const isAddress = (text: string): boolean => {
  const sample = text.replace(gap, 'x')
  return /^https?:\/\//.test(sample) && URL.canParse(sample) && new URL(sample).username === ''
}

export const Address = z.string().max(500).refine(isAddress, 'must be an http(s) address')

export const HostTemplate = z
  .string()
  .max(253)
  .refine(
    (text) => /^[a-z0-9.-]+(:\d{1,5})?$/.test(text.replace(gap, 'x')),
    'must be a host, with a port if it has one',
  )
