// Spreads the sample over two weeks. Only for the demo's private database: it needs a superuser.
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

/** How long ago each connection was first linked (`age`), ended or broke (`later`), and was reconnected (`last`). */
const ages = (since: Date): Sql => sql`
  create temporary table ages on commit drop as
  select connection, age, age * 0.4 as later, age * 0.2 as last
  from (
    select connection_id as connection, interval '14 days' * (1 - row_number() over (order by min(id)) / count(*) over ()::float) as age
    from links where starts_with(tenant, 'sample-') and created_at >= ${since} group by connection_id
  ) as links_by_age`

const moves: Sql[] = [
  sql`update connect_sessions s set created_at = s.created_at - case when s.connection_id is null then age else last end
    from links join ages on links.connection_id = connection where session_id = s.id`,
  sql`update links set created_at = created_at - case when relink then last else age end,
      updated_at = updated_at - case when relink then last else age end
    from ages where connection_id = connection`,
  sql`update audit set at = at - case
      when exists (select 1 from links where relink and (id = audit.link or session_id = subject_id)) then last
      when audit.link is null then later else age end
    from ages where audit.connection = ages.connection and action <> 'connection.checked'
      and (action <> 'relink.minted' or exists (select 1 from links where session_id = subject_id))`,
  sql`update connections set created_at = created_at - age, updated_at = updated_at - later, checked_at = checked_at - later,
      status_since = status_since - case when relinked_at is not null then last when status = 'active' then age else later end,
      relinked_at = relinked_at - last, disconnected_at = disconnected_at - later
    from ages where id = connection`,
  // The last check is the one that found the connection broken.
  sql`update health_checks h set at = at - age + (age - later) * place
    from ages, (select id as ranked, row_number() over w / count(*) over (partition by connection_id)::float as place
      from health_checks window w as (partition by connection_id order by id)) as places
    where connection_id = connection and ranked = h.id`,
  sql`update audit a set at = at - age + (age - later) * place
    from ages, (select id as ranked, row_number() over w / count(*) over (partition by connection)::float as place
      from audit where action = 'connection.checked' window w as (partition by connection order by id)) as places
    where a.connection = ages.connection and ranked = a.id`,
  sql`update connection_tasks set created_at = created_at - later, updated_at = updated_at - later
    from ages where connection_id = connection`,
  sql`update outbox set created_at = created_at - case when event = 'link.linked' then age else later end
    from ages where payload ->> 'connectionId' = connection`,
  sql`update webhook_deliveries d set created_at = outbox.created_at, delivered_at = d.delivered_at - (d.created_at - outbox.created_at)
    from outbox where outbox.id = d.event and starts_with(d.tenant, 'sample-')`,
  sql`delete from health_days where starts_with(integration, 'sample-')`,
  sql`insert into health_days (integration, day, outcome, checks)
    select integration, date_trunc('day', at, 'UTC'), outcome, count(*)
    from health_checks join connections on connections.id = connection_id
    where starts_with(integration, 'sample-') group by 1, 2, 3`,
]
