import { expiringValues } from '../../adapters/memory/expiring-values.ts'
import type { PendingAuthorization, PendingAuthorizations } from '../../domain/ports/linking.ts'
import type { Clock } from '../../domain/ports/shared.ts'

const capacity = 5_000

/** Kept sealed, as in Redis. */
export function rememberedAuthorizations(
  pending: Omit<PendingAuthorizations, 'recall'>,
  now: Clock,
): PendingAuthorizations {
  const known = expiringValues<PendingAuthorization>(now, capacity)
  return {
    ...pending,
    async put(state, authorization, ttlSeconds) {
      await pending.put(state, authorization, ttlSeconds)
      known.set(state, authorization, ttlSeconds)
    },
    recall: known.take,
  }
}
