// Spreads the links of the sample over two weeks. Only for the demo's private database: it needs a superuser.
import { openPool } from '../../kit/database/pool.ts'
import { execute, type Sql, sql } from '../../kit/database/sql.ts'
import { inTransaction } from '../../kit/database/transaction.ts'

/** IDs keep their time, so the console's filters by day still find everything on the day of the start. */
export async function moveIntoPast(databaseUrl: string, since: Date): Promise<void> {
  const pool = openPool(databaseUrl, { connections: 1 })
  try {
    await inTransaction(pool, async (db) => {
      // Skips the triggers that keep the audit log from being changed.
      await execute(db, sql`set local session_replication_role = replica`)
      await execute(db, ages(since))
      for (const statement of moves) await execute(db, statement)
    })
  } finally {
    await pool.end()
  }
}

/** The first link of each connection decides its age; everything about the connection moves with it. */
const ages = (since: Date): Sql => sql`
  create temporary table ages on commit drop as
  select connection_id as connection, interval '14 days' * (1 - row_number() over (order by min(id)) / count(*) over ()::float) as age
  from links where starts_with(tenant, 'sample-') and created_at >= ${since} group by connection_id`

const moves: Sql[] = [
  sql`update connect_sessions s set created_at = s.created_at - age
    from links join ages on connection_id = connection where session_id = s.id`,
  sql`update links set created_at = created_at - age, updated_at = updated_at - age
    from ages where connection_id = connection`,
  sql`update connections set created_at = created_at - age, updated_at = updated_at - age, checked_at = checked_at - age,
      status_since = status_since - age, relinked_at = relinked_at - age, disconnected_at = disconnected_at - age
    from ages where id = connection`,
  sql`update health_checks set at = at - age from ages where connection_id = connection`,
  sql`update connection_tasks set created_at = created_at - age, updated_at = updated_at - age
    from ages where connection_id = connection`,
  sql`update audit set at = at - age from ages where audit.connection = ages.connection`,
  sql`update outbox set created_at = created_at - age
    from ages where payload ->> 'connectionId' = connection`,
  sql`update webhook_deliveries d set created_at = outbox.created_at, delivered_at = d.delivered_at - (d.created_at - outbox.created_at)
    from outbox where outbox.id = d.event and starts_with(d.tenant, 'sample-')`,
  sql`delete from health_days where starts_with(integration, 'sample-')`,
  sql`insert into health_days (integration, day, outcome, checks)
    select integration, date_trunc('day', at, 'UTC'), outcome, count(*)
    from health_checks join connections on connections.id = connection_id
    where starts_with(integration, 'sample-') group by 1, 2, 3`,
]
