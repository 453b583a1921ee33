import { expiringValues } from '../../adapters/memory/expiring-values.ts'
import { lateSeconds } from '../../adapters/redis/keys.ts'
import type { PendingAuthorization, PendingAuthorizations } from '../../domain/ports/linking.ts'

type PendingRecord = { pending: PendingAuthorization; lateFrom: number; claimedBy?: string }

/** No await between reading and marking a record, so only one of two concurrent callbacks is first. */
export function memoryPending(now: () => Date): Omit<PendingAuthorizations, 'recall'> {
  const records = expiringValues<PendingRecord>(now)
  return {
    async put(state, pending, ttlSeconds) {
      const lateFrom = now().getTime() + ttlSeconds * 1_000
      records.set(state, { pending, lateFrom }, ttlSeconds + lateSeconds)
    },
    async claim(state, { attempt, browsers, callback }) {
      const record = records.get(state)
      if (!record) return { outcome: 'unknown' }
      const { link } = record.pending
      if (record.lateFrom <= now().getTime()) return { outcome: 'expired', link }
      if (!browsers.includes(record.pending.browser)) return { outcome: 'foreign_browser', link }
      if (record.pending.callback !== callback) return { outcome: 'foreign_callback', link }
      record.claimedBy ??= attempt
      return { outcome: record.claimedBy === attempt ? 'first' : 'replay', pending: record.pending }
    },
  }
}
