import ipaddr from 'ipaddr.js'

/**
 * Who counts as one visitor. A household or an attacker has a whole /64 of IPv6, and an IPv4 address written as
 * IPv6 is still that address: both would otherwise be a way round a limit.
 */
export function visitor(address: string | undefined): string {
  if (!address || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const groups = parsed.parts.slice(0, 4).map((part) => part.toString(16))
  return `${groups.join(':')}::/64`
}
