export type RateRule = {
  name: string
  most: number
  windowSeconds: number
  /** What is under way may go on while nothing can be counted; nothing new begins then. */
  uncounted: 'allowed' | 'refused'
}

export type Rates = { mint: RateRule; browser: RateRule; complete: RateRule; failedKey: RateRule }

export const ratesOf = (perMinute: { mint: number; browser: number }): Rates => ({
  mint: { name: 'mint', most: perMinute.mint, windowSeconds: 60, uncounted: 'refused' },
  browser: { name: 'browser', most: perMinute.browser, windowSeconds: 60, uncounted: 'allowed' },
  complete: { name: 'complete', most: 10, windowSeconds: 60, uncounted: 'allowed' },
  failedKey: { name: 'failed-key', most: 20, windowSeconds: 60, uncounted: 'allowed' },
})

/**
 * Who counts as one visitor. A household or an attacker has a whole /64 of IPv6, and an IPv4 address written as
 * IPv6 is still that address: both would otherwise be a way round the limit.
 */
export function visitor(address: string | undefined): string {
  if (!address) return 'unknown'
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
  if (mapped || !address.includes(':')) return mapped ?? address
  const [head = '', tail] = address.split('::')
  const left = head.split(':').filter(Boolean)
  const right = tail?.split(':').filter(Boolean) ?? []
  const groups =
    tail === undefined ? left : [...left, ...Array(Math.max(0, 8 - left.length - right.length)).fill('0'), ...right]
  return `${groups.slice(0, 4).join(':')}::/64`
}
