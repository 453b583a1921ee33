import { readFileSync } from 'node:fs'
import ipaddr from 'ipaddr.js'
import { z } from 'zod'
import type { Keyring } from '../crypto/sealed-box.ts'
import { Secret } from '../crypto/secret.ts'
import { StartError } from './start-error.ts'

/** Each can be named by a file instead: `SIGNING_KEY_FILE`. */
export const secretSettings = [
  'DATABASE_URL',
  'REDIS_URL',
  'ENCRYPTION_KEYS',
  'SIGNING_KEY',
  'PLATFORM_API_KEY',
  'SETTINGS_KEY',
  'CONSOLE_CLIENT_SECRET',
  'AUDIT_EXPORT_WEBHOOK_SECRETS',
  'OTEL_EXPORTER_OTLP_HEADERS',
] as const

/** Throws one StartError that names every bad variable. */
export function parseEnvironment<S extends z.ZodType>(schema: S, env: NodeJS.ProcessEnv): z.output<S> {
  // Compose files and shells can't unset a variable: `NAME=` means not set.
  const given = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const unread = schema instanceof z.ZodObject ? readSecretFiles(given, Object.keys(schema.shape)) : []
  const parsed = schema.safeParse(given)
  if (parsed.success && unread.length === 0) return parsed.data
  const issues = (parsed.error?.issues ?? []).filter(({ path }) => !unread.some(({ name }) => name === path[0]))
  throw new StartError([
    ...unread.map(({ name, problem }) => `${name}_FILE: ${problem}`),
    ...issues.map((issue) => `${issue.path.join('.')}: ${readable(issue, given)}`),
  ])
}

/** Adds the content of the files to `given`. */
function readSecretFiles(given: Record<string, unknown>, settings: readonly string[]) {
  return secretSettings.flatMap((name) => {
    const file = given[`${name}_FILE`]
    if (typeof file !== 'string' || !settings.includes(name)) return []
    if (given[name] !== undefined) return [{ name, problem: `cannot be combined with ${name}` }]
    try {
      given[name] = readFileSync(file, 'utf8').replace(/\r?\n$/, '')
    } catch (error) {
      return [{ name, problem: `cannot be read (${(error as NodeJS.ErrnoException).code})` }]
    }
    return given[name] === '' ? [{ name, problem: 'is empty' }] : []
  })
}

// Never repeats values: half of them are secrets.
function readable(issue: z.core.$ZodIssue, given: Record<string, unknown>): string {
  const missing = issue.path.length === 1 && given[String(issue.path[0])] === undefined
  return missing ? 'is missing; see .env*.example' : issue.message
}

export const port = () => z.coerce.number('must be a port number').int().min(0).max(65_535)

export const drainSeconds = () => z.coerce.number('must be a number of seconds').int().min(0).max(300).default(5)

export const seconds = () => z.coerce.number('must be a number of seconds').int().positive()

/** Base64url or hex, at least 32 bytes. */
export const secretKey = () =>
  z
    .string()
    .refine((text) => !isBrokenHex(text), 'is hex with too few or an odd number of digits: 64 are 32 bytes')
    .refine((text) => keyBytes(text).length >= 32, 'must hold at least 32 random bytes, as base64url or hex')
    .transform((text) => new Secret(keyBytes(text)))

/** `id:key,id:key`; the first key seals, all of them open. */
export const keyring = () =>
  z.string().transform((text, context): Keyring => {
    const entries = text.split(',').map((entry) => entry.trim().split(':'))
    const sound = entries.every(([id, key]) => /^[a-z0-9-]{1,32}$/.test(id ?? '') && keyBytes(key ?? '').length === 32)
    if (!sound) {
      context.addIssue('must be a list of id:key, each key 32 random bytes as base64url or hex')
      return z.NEVER
    }
    if (new Set(entries.map(([id]) => id)).size < entries.length) {
      context.addIssue('must give each key a different id')
      return z.NEVER
    }
    const keys = new Map(entries.map(([id, key]) => [id as string, new Secret(keyBytes(key as string))]))
    return { primary: entries[0]?.[0] as string, keys }
  })

/** An http(s) URL without trailing slash, query or fragment. */
export const publicUrl = () =>
  z
    .url({ protocol: /^https?$/, error: 'must be an http(s) address' })
    .refine((text) => !/[?#]/.test(text), 'must not have a query or a fragment')
    .transform((text) => text.replace(/(?<!\/)\/+$/, ''))

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

/** Lower case, with the port, and IPv6 in brackets. */
export const hostsWithPorts = () =>
  listOf((entry) => /^(\[[0-9a-f:.]+\]|[^:/@[\]A-Z]+):\d{1,5}$/.test(entry), 'must be a list of host:port')

/** Host names without ports; a leading dot covers all subdomains. */
export const hostNames = () =>
  listOf(
    (entry) => /^(\[[0-9a-f:.]+\]|\.?[a-z0-9_-]+(\.[a-z0-9_-]+)*)$/.test(entry),
    'must be a list of host names in lower case, without ports',
  )

export const origins = () =>
  listOf((entry) => URL.canParse(entry) && new URL(entry).origin === entry, 'must be a list of origins, https://host')

/** Names that Express knows, beside IP addresses and ranges. */
const namedNetworks = ['loopback', 'linklocal', 'uniquelocal']

export const networks = () =>
  listOf(
    (entry) => namedNetworks.includes(entry) || ipaddr.isValid(entry) || ipaddr.isValidCIDR(entry),
    `must be a list of addresses, ranges such as 10.0.0.0/8, or ${namedNetworks.join(', ')}`,
  )

/** Would decode as base64url to a different key. */
const isBrokenHex = (text: string): boolean => /^[0-9a-f]+$/i.test(text) && (text.length < 64 || text.length % 2 === 1)

function keyBytes(text: string): Buffer {
  return /^[0-9a-f]{64,}$/i.test(text) ? Buffer.from(text, 'hex') : Buffer.from(text, 'base64url')
}
