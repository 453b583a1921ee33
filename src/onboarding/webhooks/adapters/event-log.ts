import type pg from 'pg'
import { z } from 'zod'
import { execute, one, type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { pageOf } from '../../adapters/postgres/page-of.ts'
import { noted } from '../../adapters/postgres/statement-parts.ts'
import type { EventLog } from '../../domain/ports/webhooks.ts'
import { tenantEventNames } from '../../domain/tenant-event.ts'

export function postgresEventLog(pool: pg.Pool): EventLog {
  return {
    async list({ tenant, order, cursor, limit }) {
      const [behind, direction] = order === 'newest' ? [sql`<`, sql`desc`] : [sql`>`, sql`asc`]
      const [written, id] = cursor?.split('.') ?? []
      const after =
        written === undefined ? sql`` : sql`and (written, id) ${behind} (${written}::text::xid8, ${id ?? ''})`
      const found = await rows(
        pool,
        EventRow,
        sql`
          select ${columns} from outbox where tenant = ${tenant} and ${isSettled} ${after}
          order by written ${direction}, id ${direction} limit ${limit + 1}`,
      )
      return pageOf(found, limit, (event) => event.cursor)
    },
    async appendOnce(tenant, { id, name, payload }, audit) {
      await execute(
        pool,
        sql`
          with made as (
            insert into outbox (id, tenant, event, payload) values (${id}, ${tenant}, ${name}, ${JSON.stringify(payload)})
            on conflict (id) do nothing returning *
          ), ${noted(audit, 'made')}
          select 1`,
      )
    },
    append: (tenant, event, audit) => one(pool as Queryable, EventRow, appended(tenant, event, audit)),
  }
}

/**
 * Orders events by transaction, not by ID: an event with a smaller ID may be committed later, and readers would miss
 * it. Events are listed once no older transaction is running, or after a minute, because a transaction in another
 * database of the server may take hours.
 */
const isSettled = sql`(written < pg_snapshot_xmin(pg_current_snapshot()) or created_at < now() - interval '1 minute')`

const columns = sql`id, event as name, payload, created_at as "occurredAt", written::text || '.' || id as cursor`

const appended = (
  tenant: string,
  { id, name, payload }: Parameters<EventLog['append']>[1],
  audit: Parameters<EventLog['append']>[2],
): Sql => sql`
  with made as (
    insert into outbox (id, tenant, event, payload) values (${id}, ${tenant}, ${name}, ${JSON.stringify(payload)})
    -- A request that is sent again makes the same event.
    on conflict (id) do update set id = excluded.id
    returning *
  ), ${noted(audit, 'made')}
  select ${columns} from made`

const EventRow = z.object({
  id: z.string(),
  name: z.enum(tenantEventNames),
  payload: z.record(z.string(), z.unknown()),
  occurredAt: z.date(),
  cursor: z.string(),
})
