import type { ClientVerdict } from '../../domain/health/unexplained-refusal.ts'
import { type ClientVerdicts, verdictSeconds } from '../../domain/ports/shared.ts'
import { expiringValues } from './expiring-values.ts'

export function memoryClientVerdicts(now: () => Date): ClientVerdicts {
  const kept = expiringValues<ClientVerdict>(now)
  return {
    find: async (client) => kept.get(client),
    keep: async (client, verdict) => kept.set(client, verdict, verdictSeconds),
  }
}
