import { z } from 'zod'

export const Duration = z
  .string()
  .regex(/^[1-9][0-9]{0,5}[smhdw]$/, 'must be a whole number with a unit: s, m, h, d or w')

const seconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 }

export const secondsIn = (duration: string): number =>
  Number(duration.slice(0, -1)) * (seconds[duration.slice(-1)] ?? 0)
