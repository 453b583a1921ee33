import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Secret } from '../../kit/crypto/secret.ts'
import type { Profile } from './integration.ts'
import type { Config } from './link.ts'

/**
 * Whether a callback has the signature that its profile promises: HMAC-SHA256 in hex, by the client's secret, of the other
 * parameters in the order of their names, written as a form. Shopify signs so; `state` already ties the callback to this
 * browser, and the signature tells that nobody changed what stands beside it.
 */
export function isSignedCallback(
  { callbackSignature: rule }: Pick<Profile, 'callbackSignature'>,
  callback: Config,
  secret: Secret | undefined,
): boolean {
  if (!rule) return true
  const { [rule.parameter]: signature = '', ...signed } = callback
  if (!secret) return false
  const parameters = new URLSearchParams(signed)
  parameters.sort()
  const expected = createHmac('sha256', secret.reveal()).update(parameters.toString()).digest()
  const given = Buffer.from(/^[0-9a-f]{64}$/i.test(signature) ? signature : '', 'hex')
  return given.length === expected.length && timingSafeEqual(given, expected)
}
