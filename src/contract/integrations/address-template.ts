// Provider URLs with gaps, for example `https://{subdomain}.example.com/token`. Gap values come from users or responses, and
// the URL receives client secrets or tokens, so a gap accepts only values that match its pattern.
import { z } from 'zod'

export const ValueName = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, 'must be a letter, then letters, digits, _ or -')

const gap = /\{([A-Za-z][A-Za-z0-9_-]{0,39})\}/g

export const gapsOf = (template: string): string[] => [...template.matchAll(gap)].map(([, name = '']) => name)

/** `label`: part of a host name. `host`: a whole host name, or an https URL whose host is used. `text`: not part of a host. */
const valueKinds = ['label', 'host', 'text'] as const

/** Values that would lead to another host, so no `label` pattern may match them. */
const hostile = ['evil.example', 'a/b', 'a@b', 'a:1', 'a#b', 'a?b', 'a\\b', 'a%2eb', 'a b', '']
/** Hosts that no `host` pattern may match. */
const foreignHosts = ['127.0.0.1', 'localhost', 'evil.test', '[::1]', '169.254.169.254']

export const valueShape = {
  /** Matches the whole value, like the HTML attribute `pattern` (flag v, anchored at both ends). */
  pattern: z.string().min(1).max(500).refine(isPattern, 'must be a regular expression with the v flag'),
  as: z.enum(valueKinds).default('label'),
}

export type ValueRule = { pattern: string; as: (typeof valueKinds)[number]; default?: string | undefined }

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

const maxLength = 253

export function acceptedValue(rule: ValueRule, given: unknown = rule.default): string | undefined {
  const { pattern, as } = rule
  const text = typeof given === 'number' ? String(given) : given
  if (typeof text !== 'string') return undefined
  const value = as === 'text' ? text.trim() : hostOf(text.trim().toLowerCase())
  const isTaken =
    value !== undefined && value.length <= maxLength && isPattern(pattern) && expression(pattern).test(value)
  return isTaken && !/[\p{Cc}\p{Cs}]/u.test(value) ? value : undefined
}

/** Users paste URLs and providers send them. A port, credentials or plain http are rejected. */
function hostOf(text: string): string | undefined {
  if (!text.includes('://')) return text
  const url = URL.canParse(text) ? new URL(text) : undefined
  return url?.protocol === 'https:' && !url.port && !url.username && !url.password ? url.hostname : undefined
}

/** The value of gap `name` in a pasted address such as "acme.example.com/admin". */
export function labelIn(address: string, name: string, templates: readonly string[]): string | undefined {
  const text = address.trim().toLowerCase()
  const host = hostOf(text.includes('://') ? text : `https://${text}`)
  const ends = templates
    .filter((template) => template.startsWith(`https://{${name}}.`))
    .map((template) => new URL(template.replace(`{${name}}`, 'x')).hostname.slice(1))
  const end = ends.find((each) => host?.endsWith(each))
  return end && host?.slice(0, -end.length)
}

const hostName = /^[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?$/

export class ValueMissing extends Error {}

/** Throws `ValueMissing` for a gap without a value. Values are encoded, except in the host. */
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

export const filledHost = (template: string, values: Readonly<Record<string, string>>): string =>
  new URL(filledAddress(`https://${template}/`, values)).host

const isAddress = (text: string): boolean => {
  const sample = text.replace(gap, 'x')
  return /^https?:\/\//.test(sample) && URL.canParse(sample) && new URL(sample).username === ''
}

export const Address = z.string().max(500).refine(isAddress, 'must be an http(s) URL')

export const HostTemplate = z
  .string()
  .max(253)
  .refine((text) => /^[a-z0-9.-]+(:\d{1,5})?$/.test(text.replace(gap, 'x')), 'must be a host or host:port')
