import type { IncomingMessage } from 'node:http'

type OwnHosts = {
  /** Public URLs of the program; ports are ignored. */
  addresses: readonly string[]
  /** Further host names; `.example.com` covers all subdomains. */
  names: readonly string[]
}

/** Rejects foreign Host headers, against DNS rebinding and cache poisoning. Ignores ports: proxies drop or change them. */
export function ownHosts({ addresses, names }: OwnHosts): (req: IncomingMessage) => boolean {
  const urls = addresses.map((address) => new URL(address))
  const domains = names.filter((name) => name.startsWith('.'))
  const known = new Set([...urls.map(({ hostname }) => hostname), ...names.filter((name) => !domains.includes(name))])
  // Spares most requests the parsing below.
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

/** Only accepted from this machine. */
const localNames = new Set(['localhost', '127.0.0.1', '[::1]'])

const isLocal = (name: string, { remoteAddress = '' }: IncomingMessage['socket']): boolean =>
  localNames.has(name) && /^(::ffff:)?127\.|^::1$/.test(remoteAddress)
