// Chance that is the same every time, so that two samples differ in nothing but their dates.

export type Chance = ReturnType<typeof seededChance>

export function seededChance(seed: number) {
  let state = seed
  /** From 0 up to 1, by the generator mulberry32. */
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const between = (least: number, most: number): number => least + Math.floor(next() * (most - least + 1))
  const pick = <T>(from: readonly T[]): T => from[between(0, from.length - 1)] as T
  return {
    between,
    pick,
    happens: (share: number): boolean => next() < share,
    /** One of them, each as often as its weight says. */
    weighted<T extends { weight: number }>(from: readonly T[]): T {
      let left = next() * from.reduce((total, { weight }) => total + weight, 0)
      const found = from.find(({ weight }) => {
        left -= weight
        return left < 0
      })
      return found ?? pick(from)
    },
  }
}
