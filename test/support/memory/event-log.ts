import type { EventLog, LoggedEvent } from '../../../src/onboarding/domain/ports/webhooks.ts'
import { note } from './audit.ts'
import { announce } from './outbox.ts'
import { pageOf } from './pages.ts'
import type { OutboxRow, Store } from './tables.ts'

export function memoryEventLog(store: Store): EventLog {
  const { outbox } = store.tables
  return {
    async list({ tenant, order, cursor, limit }) {
      const own = [...outbox.values()].filter((row) => row.tenant === tenant).map(toLogged)
      const rows = order === 'newest' ? own.reverse() : own
      const from = cursor === undefined ? 0 : rows.findIndex((row) => isBehind(row.cursor, cursor, order))
      return pageOf(from < 0 ? [] : rows.slice(from), limit, (row) => row.cursor)
    },
    async appendOnce(tenant, event, audit) {
      if (outbox.has(event.id)) return
      announce(store, tenant, event)
      note(store, audit)
    },
    async append(tenant, event, audit) {
      if (!outbox.has(event.id)) announce(store, tenant, event)
      note(store, audit)
      return toLogged(outbox.get(event.id) as OutboxRow)
    },
  } satisfies Partial<EventLog> as EventLog
}

const isBehind = (one: string, other: string, order: 'oldest' | 'newest') => {
  const difference = writtenIn(one) - writtenIn(other)
  return order === 'newest' ? difference < 0 : difference > 0
}

const writtenIn = (cursor: string) => Number(cursor.split('.')[0])

const toLogged = ({ id, name, payload, occurredAt, written }: OutboxRow): LoggedEvent => ({
  id,
  name,
  payload,
  occurredAt,
  cursor: `${written}.${id}`,
})
