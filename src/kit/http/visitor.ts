import ipaddr from 'ipaddr.js'

/** Counts a /64 of IPv6 as one visitor, and an IPv4-mapped address as IPv4: both would bypass a limit. */
export const visitor = (address: string | undefined): string => prefixOf(address, 4)

/** The /48 of an IPv6 visitor, which one customer often has as a whole. */
export const visitorNetwork = (address: string | undefined): string => prefixOf(address, 3)

function prefixOf(address: string | undefined, groupCount: number): string {
  if (!address || !ipaddr.isValid(address)) return 'unknown'
  const parsed = ipaddr.process(address)
  if (parsed instanceof ipaddr.IPv4) return parsed.toString()
  const groups = parsed.parts.slice(0, groupCount).map((part) => part.toString(16))
  return `${groups.join(':')}::/${groupCount * 16}`
}
