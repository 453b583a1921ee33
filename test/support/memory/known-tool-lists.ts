import type { KnownToolLists } from '../../../src/onboarding/domain/ports/tool-lists.ts'
import { note } from './audit.ts'
import { announce } from './outbox.ts'
import { change, type Store } from './tables.ts'

export const memoryKnownToolLists = (store: Store): KnownToolLists =>
  ({
    async remember({ connection, hash, tell, audit, event }) {
      const row = store.tables.connections.get(connection.id)
      if (!row || row.toolListHash === hash) return
      change(store.tables.connections, row.id, { toolListHash: hash })
      if (tell === 'never' || (tell === 'if_known' && row.toolListHash === undefined)) return
      note(store, audit)
      announce(store, row.tenant, event)
    },
  }) satisfies Partial<KnownToolLists> as KnownToolLists
