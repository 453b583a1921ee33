import type { Link } from '../../../domain/link.ts'

/** Of a lease. What is left when it is over is longer than one request to a provider or the platform may take. */
const sureShare = 1 / 3

/**
 * Knows of each link how long ago this process last wrote to the ledger that it has it. Time counts by whichever clock
 * went further: one stands still while the machine sleeps, the other may be set back.
 */
export function leaseClock(leaseSeconds: number, clocks = [() => performance.now(), () => Date.now()]) {
  const written = new WeakMap<Link, number[]>()
  return {
    read: () => clocks.map((clock) => clock()),
    /** `at` was read before the ledger was asked: the lease begins no earlier. */
    begin<L extends Link | undefined>(link: L, at: number[]): L {
      if (link) written.set(link, at)
      return link
    },
    isSure(link: Link): boolean {
      const since = written.get(link)
      const ages = since?.map((at, place) => (clocks[place]?.() ?? at) - at)
      return ages !== undefined && Math.max(...ages) < leaseSeconds * 1_000 * sureShare
    },
  }
}
