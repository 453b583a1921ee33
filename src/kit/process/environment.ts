import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { Keyring } from '../crypto/sealed-box.ts'
import { Secret } from '../crypto/secret.ts'
import { StartError } from './start-error.ts'

/** Throws one StartError that names every bad variable, so a broken deploy is repaired in one round. */
export function parseEnvironment<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  // `NAME=` in an env file means "not set": compose files and shells cannot say it otherwise.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = schema.safeParse(given)
  if (parsed.success) return parsed.data
  throw new StartError(parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${readable(issue, given)}`))
}

// Values are never repeated: half of them are secrets, and the reader has them anyway.
function readable(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const missing = issue.path.length === 1 && given[String(issue.path[0])] === undefined
  return missing ? 'is missing; see .env.*.example' : issue.message
}

export const port = () => z.coerce.number('must be a port number').int().min(0).max(65_535)

/** How many processes share the port. */
export const processes = () => z.coerce.number('must be a number').int().min(1).max(64, 'must be at most 64')

export const seconds = () => z.coerce.number('must be a number of seconds').int().positive()

/** One base64url or hex secret of at least 32 bytes. */
export const secretKey = () =>
  z
    .string()
    .refine((text) => !isBrokenHex(text), 'is hex with too few or an odd number of digits: 64 are 32 bytes')
    .refine((text) => keyBytes(text).length >= 32, 'must hold at least 32 random bytes, as base64url or hex')
    .transform((text) => new Secret(keyBytes(text)))

/** `id:key,id:key`; the first is used for new records, all of them open old ones. */
export const keyring = () =>
  z.string().transform((text, context): Keyring => {
    const entries = text.split(',').map((entry) => entry.trim().split(':'))
    const sound = entries.every(([id, key]) => /^[a-z0-9-]{1,32}$/.test(id ?? '') && keyBytes(key ?? '').length === 32)
    if (!sound) {
      context.addIssue('must be a list of id:key, each key 32 random bytes as base64url or hex')
      return z.NEVER
    }
    if (new Set(entries.map(([id]) => id)).size < entries.length) {
      context.addIssue('must give each key an id of its own')
      return z.NEVER
    }
    const keys = new Map(entries.map(([id, key]) => [id as string, new Secret(keyBytes(key as string))]))
    return { primary: entries[0]?.[0] as string, keys }
  })

/** A public http(s) address without a trailing slash, query or fragment. */
export const publicUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address' })
    .refine((text) => !/[?#]/.test(text), 'must not carry a query or a fragment')
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''))

/** An address of somebody else's page, with the placeholder where the page is told what to show. */
export const urlTemplate = (placeholder: string) =>
  z
    .string()
    .refine((text) => text.includes(placeholder), `must contain ${placeholder}`)
    .refine((text) => isPlainUrl(text.replaceAll(placeholder, 'x')), 'must be an http(s) address without a password')

function isPlainUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && username === '' && password === ''
}

const listOf = (isSound: (entry: string) => boolean, message: string) =>
  z
    .string()
    .transform((text) => text.split(/[\s,]+/).filter((entry) => entry !== ''))
    .refine((entries) => entries.every(isSound), message)

/** As addresses are compared: in lower case, with the port, and IPv6 in brackets. */
export const hostsWithPorts = () =>
  listOf((entry) => /^(\[[0-9a-f:.]+\]|[^:/@[\]A-Z]+):\d{1,5}$/.test(entry), 'must be a list of host:port')

/** Names of hosts without a port; one that begins with a dot stands for everything below it. */
export const hostNames = () =>
  listOf(
    (entry) => /^(\[[0-9a-f:.]+\]|\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(entry),
    'must be a list of host names in lower case, without ports',
  )

export const origins = () =>
  listOf((entry) => URL.canParse(entry) && new URL(entry).origin === entry, 'must be a list of origins, https://host')

/** Express names these; anything else is an address or a range of them. */
const namedNetworks = ['loopback', 'linklocal', 'uniquelocal']

export const networks = () =>
  listOf(
    (entry) => namedNetworks.includes(entry) || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry),
    `must be a list of addresses, ranges such as 10.0.0.0/8, or ${namedNetworks.join(', ')}`,
  )

/** It would pass as base64url, and be another key than the one that was meant. */
const isBrokenHex = (text: string): boolean => /^[0-9a-f]+$/i.test(text) && (text.length < 64 || text.length % 2 === 1)

function keyBytes(text: string): Buffer {
  return /^[0-9a-f]{64,}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url')
}
