// Settings that work and that nobody should run a deployment with. Each is refused by its name where NODE_ENV says
// production; elsewhere they are how people try things.
import type { Keyring } from '../crypto/sealed-box.ts'
import type { Secret } from '../crypto/secret.ts'
import { StartError } from './start-error.ts'

export type SettingsToJudge = {
  keyring: Keyring
  signingKey?: Secret<Buffer>
  /** Addresses that people or programs come to, by the name of their variable. */
  addresses: Record<string, string | undefined>
  trustProxy: readonly string[]
  /** Variables that are set although they are for tests or for a single machine. */
  notForProduction: Record<string, string | undefined>
}

/** Throws one error that names all of them. */
export function assertStrong(settings: SettingsToJudge, env: NodeJS.ProcessEnv): void {
  if (env.NODE_ENV !== 'production') return
  const weak = [
    ...weakKeys(settings),
    ...Object.entries(settings.addresses).flatMap(([name, address]) =>
      address === undefined || isSafeAddress(address) ? [] : [`${name}: must be https in production`],
    ),
    ...(settings.trustProxy.some(isEverybody)
      ? ['TRUST_PROXY: names everybody, so anybody could choose the address they seem to come from']
      : []),
    ...Object.entries(settings.notForProduction).flatMap(([name, reason]) =>
      reason === undefined ? [] : [`${name}: ${reason}`],
    ),
  ]
  if (weak.length > 0) throw new StartError(weak)
}

function weakKeys({ keyring, signingKey }: SettingsToJudge): string[] {
  const keys = [...keyring.keys.values()].map((key) => key.reveal())
  const isRepeated = keys.some((key, at) => keys.slice(at + 1).some((other) => other.equals(key)))
  return [
    ...(keys.some(isGuessable) ? ['ENCRYPTION_KEYS: holds a key that is not random: openssl rand -hex 32'] : []),
    ...(isRepeated ? ['ENCRYPTION_KEYS: holds the same key under two ids'] : []),
    ...(signingKey && isGuessable(signingKey.reveal()) ? ['SIGNING_KEY: is not random: openssl rand -hex 32'] : []),
    ...(signingKey && keys.some((key) => key.equals(signingKey.reveal()))
      ? ['SIGNING_KEY: must be another key than those in ENCRYPTION_KEYS']
      : []),
  ]
}

/** Of 32 random bytes about thirty differ; fewer than sixteen never happens. */
const isGuessable = (key: Buffer): boolean => new Set(key).size < 16

/** On the machine itself, or encrypted on the way. */
function isSafeAddress(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || ['localhost', '127.0.0.1', '[::1]'].includes(hostname)
}

/** A range with so few fixed bits that it is the internet, or half of it. */
const isEverybody = (range: string): boolean => /\/[0-7]$/.test(range)
