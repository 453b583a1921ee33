// Apps that register themselves (RFC 7591) or publish a metadata document.
import { z } from 'zod'
import { isLoopback } from '../../shared/domain/loopback.ts'

/** Private schemes of common MCP clients. Others must be reversed domain names (RFC 8252 §7.1). */
const knownSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:', 'claude:'])

const reversedDomain = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/

/** RFC 8252 §7.3. Fragments, credentials and wildcards are rejected, because they can disguise a URL. */
export function isRedirectAllowed(address: string): boolean {
  if (!/^[\x21-\x7e]{1,500}$/.test(address) || address.includes('*') || !URL.canParse(address)) return false
  const { href, protocol, hostname, username, password, hash } = new URL(address)
  // Parsers differ on other spellings. A missing slash after the host is common.
  if ((href !== address && href !== `${address}/`) || hostname.endsWith('.')) return false
  if (username !== '' || password !== '' || hash !== '' || address.includes('#')) return false
  if (protocol === 'https:') return !isLoopback(hostname) && hostname !== ''
  if (protocol === 'http:') return isLoopback(hostname)
  return knownSchemes.has(protocol) || reversedDomain.test(protocol)
}

export const maxUnusedApps = 10_000

const prefix = 'dcr_'

/** The prefix marks self-registered apps without a lookup. */
export const registeredId = (uuid: string): string => prefix + uuid
export const isRegisteredId = (clientId: string): boolean => clientId.startsWith(prefix)

/** Characters that are invisible or reorder the text around them. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

export const claimedName = (name: string | undefined): string | undefined =>
  name?.replace(invisible, '').replace(/\s+/g, ' ').trim().slice(0, 60) || undefined

const RedirectUri = z
  .string()
  .refine(isRedirectAllowed, 'must be an https URL, a loopback URL, or the scheme of an app')

/** Other members of RFC 7591 are ignored. The response shows the effective values (§3.2.1): a public client with PKCE. */
export const ClientMetadata = z.looseObject({
  redirect_uris: z.array(RedirectUri).min(1).max(10),
  client_name: z.string().max(200).optional(),
  grant_types: z.array(z.string()).max(10).optional(),
  response_types: z.array(z.string()).max(10).optional(),
})
export type ClientMetadata = z.infer<typeof ClientMetadata>

export function destinationOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (isLoopback(hostname)) return 'an app on this device'
  return protocol === 'https:' ? host : `the app on this device that opens ${protocol.slice(0, -1)} links`
}
