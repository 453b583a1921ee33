import { type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { ConnectionTable, HealthCheckTable, LedgerSchema } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { type HealthCheck, mostHealthChecks } from '../../domain/health.ts'
import type { Checked, HealthChecks } from '../../domain/ports/connections.ts'
import { toConnection } from '../../provisioning/adapters/postgres/connections.ts'

/** A worker that records no result within `leaseSeconds` loses the connection. */
export function postgresHealthChecks(db: Database<LedgerSchema>, leaseSeconds = 60): HealthChecks {
  return {
    async claimDue(limit) {
      const { rows } = await sql<Selectable<ConnectionTable>>`
        update connections set health_due_at = ${inSeconds(leaseSeconds)}
        where id in (
          select id from connections where health_due_at <= now()
          order by health_due_at limit ${limit} for update skip locked
        )
        returning *`.execute(db)
      return rows.map(toConnection)
    },
    async record(checked) {
      const { rows } = await sql<Selectable<HealthCheckTable>>`
        with ${recorded(checked)}, ${touched(checked)}, ${pruned(checked)},
        news as (select * from touched where was <> status),
        broke as (select * from news where status = 'needs_relink'),
        ${noted(checked.news, 'news')},
        ${checked.asked ? sql`${noted(checked.asked, 'touched', 'asked', nowIs)},` : sql``}
        ${announced(checked.event, 'broke')}
        select * from recorded`.execute(db)
      return toHealthCheck(rows[0] as Selectable<HealthCheckTable>)
    },
    async history(connectionId) {
      const rows = await db
        .selectFrom('health_checks')
        .selectAll()
        .where('connection_id', '=', connectionId)
        .orderBy('id', 'desc')
        .limit(mostHealthChecks)
        .execute()
      return rows.map(toHealthCheck)
    },
  }
}

const recorded = ({ connection, finding, durationMs, actorKind }: Checked) => sql`recorded as (
  insert into health_checks (connection_id, outcome, cause, duration_ms, actor_kind)
  values (${connection.id}, ${finding.outcome}, ${finding.cause ?? null}, ${durationMs}, ${actorKind})
  returning *
)`

/**
 * The result is about the grant that was checked: if another one replaced it meanwhile, the result is ignored.
 * One update of the row, because a statement may change a row only once.
 */
function touched({ connection, finding: { outcome, cause }, nextInSeconds }: Checked) {
  const isNews = sql`known.grant_version = ${connection.grantVersion}`
  const breaks = sql`${isNews} and ${outcome === 'broken'}::boolean and known.status <> 'disconnected'`
  const recovers = sql`${isNews} and ${outcome === 'healthy'}::boolean and known.status = 'needs_relink'`
  // status_since stays at the first failure if the connection is found broken again.
  const turns = sql`(${breaks} and known.status <> 'needs_relink') or (${recovers})`
  return sql`known as (
    select id, status, grant_version from connections where id = ${connection.id} for update
  ), touched as (
    update connections set
      checked_at = now(),
      health_due_at = case when known.status = 'disconnected' then null else ${inSeconds(nextInSeconds)} end,
      status = case when ${breaks} then 'needs_relink' when ${recovers} then 'active' else known.status end,
      cause = case when ${breaks} then ${cause ?? null}::text when ${recovers} then null else connections.cause end,
      status_since = case when ${turns} then now() else connections.status_since end,
      updated_at = case when ${turns} then now() else connections.updated_at end
    from known where connections.id = known.id
    returning connections.id, tenant, connections.status, connections.cause, known.status as was
  )`
}

const nowIs = sql`|| jsonb_build_object('status', status, 'cause', cause)`

const pruned = ({ connection }: Checked) => sql`pruned as (
  delete from health_checks where connection_id = ${connection.id} and id <= (
    select id from health_checks where connection_id = ${connection.id}
    order by id desc offset ${mostHealthChecks - 1} limit 1
  )
)`

const toHealthCheck = (row: Selectable<HealthCheckTable>): HealthCheck => ({
  id: row.id,
  connectionId: row.connection_id,
  at: row.at,
  outcome: row.outcome,
  cause: row.cause ?? undefined,
  durationMs: row.duration_ms,
  actorKind: row.actor_kind,
})
