// Apps that introduce themselves (RFC 7591, or a document at their client_id): what is believed of what they say.
import { z } from 'zod'

/** Private schemes of MCP clients that people have; others must be reversed domain names (RFC 8252, section 7.1). */
const knownSchemes = new Set(['cursor:', 'vscode:', 'vscode-insiders:', 'windsurf:', 'zed:', 'claude:'])

const reversedDomain = /^[a-z][a-z0-9-]*(\.[a-z0-9-]+)+:$/
const loopbacks = new Set(['localhost', '127.0.0.1', '[::1]'])

/**
 * Where a code may be sent: a web address with TLS, an app on the same machine by a loopback address (RFC 8252,
 * section 7.3) or by a scheme of its own. A fragment, a user or a wildcard is how addresses are made to look like others.
 */
export function isRedirectAllowed(address: string): boolean {
  if (!/^[\x21-\x7e]{1,500}$/.test(address) || address.includes('*') || !URL.canParse(address)) return false
  const { protocol, hostname, username, password, hash } = new URL(address)
  if (username !== '' || password !== '' || hash !== '' || address.includes('#')) return false
  if (protocol === 'https:') return !loopbacks.has(hostname) && hostname !== ''
  if (protocol === 'http:') return loopbacks.has(hostname)
  return knownSchemes.has(protocol) || reversedDomain.test(protocol)
}

/** Of apps that registered themselves: what a flood can leave behind for a day. */
export const mostUnusedApps = 10_000

const prefix = 'dcr_'

/** The id says how an app came here, so that nobody has to look it up to be careful with it. */
export const registeredId = (uuid: string): string => prefix + uuid
export const isRegisteredId = (clientId: string): boolean => clientId.startsWith(prefix)

/** Text that draws nothing, or draws the text around it in another order. */
const invisible = /[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}]/gu

/** What an app calls itself, as one short line of visible characters; nobody has checked it. */
export const claimedName = (name: string | undefined): string | undefined =>
  name?.replace(invisible, '').replace(/\s+/g, ' ').trim().slice(0, 60) || undefined

const RedirectUri = z
  .string()
  .refine(isRedirectAllowed, 'must be an https address, a loopback address, or a scheme of an app')

/**
 * What is read of a registration. Everything else that RFC 7591 knows is left out of the answer, which says what holds
 * (section 3.2.1): every app is a public one, by code with PKCE.
 */
export const ClientMetadata = z.looseObject({
  redirect_uris: z.array(RedirectUri).min(1).max(10),
  client_name: z.string().max(200).optional(),
  grant_types: z.array(z.string()).max(10).optional(),
  response_types: z.array(z.string()).max(10).optional(),
})
export type ClientMetadata = z.infer<typeof ClientMetadata>

/** Where the browser goes after the answer, in words for the person who decides. */
export function destinationOf(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (loopbacks.has(hostname)) return 'an app on this device'
  return protocol === 'https:' ? host : `the app on this device that opens ${protocol.slice(0, -1)} links`
}
