import type { StoredGrants } from '../../../src/onboarding/domain/ports/connections.ts'
import { byTime, change, isPast, type Store } from './tables.ts'

export function memoryStoredGrants(store: Store): StoredGrants {
  const { storedGrants, connections } = store.tables
  const all = () => [...storedGrants.values()]
  return {
    find: async (connectionId, slot) =>
      all().find(
        (grant) => grant.connectionId === connectionId && grant.slot === slot && !isPast(store, grant.keepUntil),
      ),
    async keepTrialRefresh(linkId, trialRefresh) {
      change(storedGrants, linkId, { trialRefresh })
    },
    async sharesConsent({ integration, accountId, clientId, except }) {
      const clientOf = (id: string) =>
        all().find(({ connectionId, slot }) => connectionId === id && slot === 'current')?.clientId
      return [...connections.values()].some(
        (row) =>
          row.integration === integration &&
          row.account?.id === accountId &&
          row.status !== 'disconnected' &&
          row.id !== except &&
          (clientOf(row.id) ?? clientId) === clientId,
      )
    },
    countLive: async ({ accountId, clientId }) =>
      all().filter((grant) => {
        const row = connections.get(grant.connectionId)
        return grant.clientId === clientId && row?.account?.id === accountId && row.status !== 'disconnected'
      }).length,
    expired: async (limit) =>
      all()
        .filter(({ keepUntil }) => isPast(store, keepUntil))
        .sort(byTime(({ keepUntil }) => keepUntil))
        .slice(0, limit),
    async wipe(linkId) {
      storedGrants.delete(linkId)
    },
  }
}
