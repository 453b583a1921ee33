// Rejects unsafe settings if NODE_ENV is production.
import ipaddr from 'ipaddr.js'
import type { Keyring } from '../crypto/sealed-box.ts'
import type { Secret } from '../crypto/secret.ts'
import { StartError } from './start-error.ts'

type SettingsToJudge = {
  keyring: Keyring
  signingKey?: Secret<Buffer>
  addresses: Record<string, readonly (string | undefined)[]>
  /** Hosts that may be reached without TLS, such as those of a container network. */
  insecureHosts: readonly string[]
  trustProxy: readonly string[]
  /** Set variables that are for tests or a single machine. */
  notForProduction: Record<string, string | undefined>
}

/** Throws one error that names all of them. */
export function assertStrong(settings: SettingsToJudge, env: NodeJS.ProcessEnv): void {
  if (env.NODE_ENV !== 'production') return
  const { addresses, insecureHosts, trustProxy, notForProduction } = settings
  const isOpen = (address: string | undefined) => address !== undefined && !isSafeAddress(address, insecureHosts)
  const open = Object.entries(addresses).filter(([, given]) => given.some(isOpen))
  const unfit = Object.entries(notForProduction).filter(([, reason]) => reason !== undefined)
  const weak = [
    ...weakKeys(settings),
    ...open.map(([name]) => `${name}: must be https in production, or its host in INSECURE_HTTP_HOSTS`),
    ...(trustProxy.some(isEverybody) ? ['TRUST_PROXY: covers all addresses, so clients could spoof their IP'] : []),
    ...unfit.map(([name, reason]) => `${name}: ${reason}`),
  ]
  if (weak.length > 0) throw new StartError(weak)
}

function weakKeys({ keyring, signingKey }: SettingsToJudge): string[] {
  const keys = [...keyring.keys.values()].map((key) => key.reveal())
  const signing = signingKey?.reveal()
  const isRepeated = keys.some((key, at) => keys.slice(at + 1).some((other) => other.equals(key)))
  return [
    keys.some(isGuessable) && 'ENCRYPTION_KEYS: holds a key that is not random: openssl rand -hex 32',
    isRepeated && 'ENCRYPTION_KEYS: holds the same key under two ids',
    signing && isGuessable(signing) && 'SIGNING_KEY: is not random: openssl rand -hex 32',
    signing && keys.some((key) => key.equals(signing)) && 'SIGNING_KEY: must not be one of ENCRYPTION_KEYS',
  ].filter((problem) => typeof problem === 'string')
}

/** 32 random bytes have about thirty different values, and practically never fewer than sixteen. */
const isGuessable = (key: Buffer): boolean => new Set(key).size < 16

/** Names below `localhost` are loopback as well (RFC 6761 §6.3). */
function isSafeAddress(address: string, insecureHosts: readonly string[]): boolean {
  const { protocol, hostname } = new URL(address)
  const isLoopback = /^(.+\.)?localhost$/.test(hostname) || ['127.0.0.1', '[::1]'].includes(hostname)
  return protocol === 'https:' || isLoopback || insecureHosts.includes(hostname)
}

const mappedIpv4 = ipaddr.IPv6.parse('::ffff:0:0')

/** A 256th of the IPv4 or IPv6 addresses is a /8. IPv4 addresses are also compared with IPv6 ranges, as mapped ones. */
function isEverybody(range: string): boolean {
  if (!ipaddr.isValidCIDR(range)) return false
  const [address, bits] = ipaddr.parseCIDR(range)
  const coversMapped = address instanceof ipaddr.IPv6 && mappedIpv4.match(address, Math.min(bits, 96))
  return bits < (coversMapped ? 104 : 8)
}
