import type { RegisteredClient } from '../../../src/onboarding/domain/mcp/registered-client.ts'
import type { RegisteredAt, RegisteredClients } from '../../../src/onboarding/domain/ports/mcp-servers.ts'
import { note } from './audit.ts'
import { change, type Store } from './tables.ts'

export function memoryRegisteredClients(store: Store): RegisteredClients {
  const { registeredClients: clients } = store.tables
  const keyOf = ({ issuer, clientId }: RegisteredAt) => JSON.stringify([issuer, clientId])
  const newest = (issuer: string) => [...clients.values()].filter((client) => client.issuer === issuer).at(-1)
  return {
    newest: async (issuer) => newest(issuer),
    find: async (at) => clients.get(keyOf(at)),
    async save(issuer, client, replaces, audit) {
      const known = newest(issuer)
      if (known && known.client.id !== replaces) return known
      const saved: RegisteredClient = {
        issuer,
        ...client,
        client: { ...client.client, redirectUri: client.redirectUri },
        registeredAt: store.now(),
        workedAt: undefined,
        forgottenAt: undefined,
      }
      const key = keyOf({ issuer, clientId: client.client.id })
      clients.delete(key)
      clients.set(key, saved)
      note(store, audit)
      return saved
    },
    async markWorking(at) {
      const found = clients.get(keyOf(at))
      if (found && !found.workedAt) change(clients, keyOf(at), { workedAt: store.now() })
    },
    async markForgotten(at, audit) {
      const found = clients.get(keyOf(at))
      if (found?.by !== 'registration') return false
      if (!found.forgottenAt) {
        change(clients, keyOf(at), { forgottenAt: store.now() })
        note(store, audit)
      }
      return true
    },
  } satisfies Partial<RegisteredClients> as RegisteredClients
}
