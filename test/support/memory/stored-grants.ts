import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import type { UpstreamAccount } from '../../../src/onboarding/domain/link.ts'
import type { StoredGrants } from '../../../src/onboarding/domain/ports/connections.ts'
import { type GrantOrigin, isSameServer, type StoredGrant } from '../../../src/onboarding/domain/stored-grant.ts'
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
    async sharesConsent({ integration, tenant, account, except, ...origin }) {
      const isOfOrigin = ({ id, integration: own }: { id: string; integration: string }) => {
        const grant = all().find(({ connectionId, slot }) => connectionId === id && slot === 'current')
        return grant?.clientId === undefined ? own === integration : isOf(grant, origin)
      }
      return [...connections.values()].some(
        (row) =>
          isAccountOf(row, tenant, account) && row.status !== 'disconnected' && row.id !== except && isOfOrigin(row),
      )
    },
    countLive: async ({ tenant, account, ...origin }) =>
      all().filter((grant) => {
        const row = connections.get(grant.connectionId)
        return isOf(grant, origin) && row && isAccountOf(row, tenant, account) && row.status !== 'disconnected'
      }).length,
    expired: async (limit) =>
      all()
        .filter(({ keepUntil }) => isPast(store, keepUntil))
        .sort(byTime(({ keepUntil }) => keepUntil))
        .slice(0, limit),
    async wipe(linkId) {
      storedGrants.delete(linkId)
    },
  } satisfies Partial<StoredGrants> as StoredGrants
}

const isAccountOf = (row: Pick<Connection, 'tenant' | 'account'>, tenant: string, { id, claimed }: UpstreamAccount) =>
  row.account?.id === id && (row.tenant === tenant || !(row.account.claimed || claimed))

const isOf = (grant: StoredGrant, origin: GrantOrigin) =>
  grant.clientId === origin.clientId && isSameServer(grant, origin)
