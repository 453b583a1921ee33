import type { Marks } from '../../domain/ports/shared.ts'
import { markKey, markSeconds } from '../redis/keys.ts'
import { expiringValues } from './expiring-values.ts'

export function memoryMarks(now: () => Date): Marks {
  const kept = expiringValues<string>(now)
  return {
    async claim(register, subject, value) {
      const key = markKey(register, subject)
      if (kept.get(key) === undefined) kept.set(key, value, markSeconds[register])
      return kept.get(key) === value
    },
    async release(register, subject, value) {
      const key = markKey(register, subject)
      if (kept.get(key) === value) kept.forget(key)
    },
  }
}
