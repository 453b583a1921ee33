import type { ClientPlace } from '../../../src/onboarding/domain/mcp/registered-client.ts'
import type { RegisteredClients } from '../../../src/onboarding/domain/ports/mcp-servers.ts'
import { note } from './audit.ts'
import { change, type Store } from './tables.ts'

export function memoryRegisteredClients(store: Store): RegisteredClients {
  const { registeredClients: clients } = store.tables
  const keyOf = ({ integration, issuer }: ClientPlace) => JSON.stringify([integration, issuer])
  const withId = (at: ClientPlace, clientId: string) => {
    const found = clients.get(keyOf(at))
    return found?.client.id === clientId ? found : undefined
  }
  return {
    find: async (at) => clients.get(keyOf(at)),
    async save({ integration, issuer }, client, replaces, audit) {
      const at = { integration, issuer }
      const known = clients.get(keyOf(at))
      if (known && known.client.id !== replaces) return known
      const now = store.now()
      const own = { ...client.client, redirectUri: client.redirectUri }
      const saved = { ...at, ...client, client: own, registeredAt: now, confirmedAt: now, forgottenAt: undefined }
      clients.set(keyOf(at), saved)
      note(store, audit)
      return saved
    },
    async confirm(at, clientId) {
      if (withId(at, clientId)) change(clients, keyOf(at), { confirmedAt: store.now() })
    },
    async markForgotten(at, clientId, audit) {
      const found = withId(at, clientId)
      if (found?.by !== 'registration') return false
      if (!found.forgottenAt) {
        change(clients, keyOf(at), { forgottenAt: store.now() })
        note(store, audit)
      }
      return true
    },
  }
}
