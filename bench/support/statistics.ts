/** A value with its 95 % confidence interval. */
export type Estimate = { value: number; low: number; high: number }

/** Mean of independent rounds. */
export function meanOf(values: readonly number[]): Estimate {
  const count = values.length
  const value = values.reduce((sum, each) => sum + each, 0) / count
  const variance = values.reduce((sum, each) => sum + (each - value) ** 2, 0) / (count - 1)
  const reach = count > 1 ? studentQuantile(count - 1) * Math.sqrt(variance / count) : Number.NaN
  return { value, low: value - reach, high: value + reach }
}

/**
 * Ratio from paired rounds, so that a slow machine affects both of a pair. Uses logarithms, so that 0.5 and 2 have the
 * same weight.
 */
export function ratioOf(these: readonly number[], those: readonly number[]): Estimate {
  const { value, low, high } = meanOf(these.map((each, at) => Math.log(each / (those[at] as number))))
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) }
}

const z = 1.959964

/** Student's t for 95 % (Cornish-Fisher expansion): within 1 % from four degrees of freedom. */
function studentQuantile(freedom: number): number {
  const first = (z ** 3 + z) / (4 * freedom)
  const second = (5 * z ** 5 + 16 * z ** 3 + 3 * z) / (96 * freedom ** 2)
  const third = (3 * z ** 7 + 19 * z ** 5 + 17 * z ** 3 - 15 * z) / (384 * freedom ** 3)
  return z + first + second + third
}
