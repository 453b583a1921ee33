import type { IncomingMessage } from 'node:http'

export type OwnHosts = {
  /** Addresses under which the program is reached; any port of their hosts will do. */
  addresses: readonly string[]
  /** Further names, of an inner network for example; `.example.com` is everything below that domain. */
  names: readonly string[]
}

/**
 * Whether a request names a host of ours. We use the header for nothing, but a page whose own name was made to lead to
 * us (DNS rebinding) would share an origin with our answers, and so would anything that caches by it. Ports are not
 * compared: proxies leave them out or put their own.
 */
export function ownHosts({ addresses, names }: OwnHosts): (req: IncomingMessage) => boolean {
  const urls = addresses.map((address) => new URL(address))
  const domains = names.filter((name) => name.startsWith('.'))
  const known = new Set([...urls.map(({ hostname }) => hostname), ...names.filter((name) => !domains.includes(name))])
  // As clients of these addresses write them, so that most requests need no second look.
  const literal = new Set([...known, ...urls.map(({ host }) => host)])
  return ({ headers: { host }, socket }) => {
    if (host === undefined) return false
    if (literal.has(host)) return true
    const name = host.toLowerCase().replace(/:\d{1,5}$/, '')
    const isBelow = domains.some((domain) => name.endsWith(domain) && subdomains.test(name.slice(0, -domain.length)))
    return known.has(name) || isBelow || isLocal(name, socket)
  }
}

const subdomains = /^[a-z\d_-]+(\.[a-z\d_-]+)*$/

/** No other site can bear these names, and who is on this machine needs no name to reach it. */
const localNames = new Set(['localhost', '127.0.0.1', '[::1]'])

const isLocal = (name: string, { remoteAddress = '' }: IncomingMessage['socket']): boolean =>
  localNames.has(name) && /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
