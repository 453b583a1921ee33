import { z } from 'zod'
import { claimDue } from '../../../kit/database/queue.ts'
import { one, type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import { CauseColumn } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { actorKinds } from '../../domain/audit/audit.ts'
import { healthOutcomes, mostHealthChecks } from '../../domain/health.ts'
import type { HealthCheckDraft, HealthChecks } from '../../domain/ports/connections.ts'
import { ConnectionRow, connectionColumns } from '../../provisioning/adapters/postgres/rows.ts'

/** A worker that records no result within `leaseSeconds` loses the connection. */
export function postgresHealthChecks(db: Queryable, leaseSeconds = 60): HealthChecks {
  return {
    claimDue: (limit) =>
      rows(
        db,
        ClaimedRow,
        sql`
          update connections set health_due_at = ${inSeconds(leaseSeconds)}, health_claims = health_claims + 1
          where id in (${claimDue({ ...dueChecks, limit })})
          returning ${connectionColumns}, health_claims as claims`,
      ),
    record: (checked) =>
      one(
        db,
        HealthCheckRow,
        sql`
          with ${recorded(checked)}, ${touched(checked)}, ${pruned(checked)},
          news as (select * from touched where was <> status),
          broke as (select * from news where status = 'needs_relink'),
          ${noted(checked.news, 'news')},
          ${checked.asked ? sql`${noted(checked.asked, 'touched', 'asked', nowIs)},` : sql``}
          ${announced(checked.event, 'broke')}
          select ${columns} from recorded`,
      ),
    history: (connectionId) => healthHistory(db, connectionId, mostHealthChecks),
  }
}

const dueChecks = { table: 'connections', key: 'id', due: 'health_due_at', claims: 'health_claims' }

const ClaimedRow = ConnectionRow.extend({ claims: z.number() })

/** Newest first. */
export const healthHistory = (db: Queryable, connectionId: string, limit: number) =>
  rows(
    db,
    HealthCheckRow,
    sql`select ${columns} from health_checks where connection_id = ${connectionId} order by id desc limit ${limit}`,
  )

const recorded = ({ connection, finding, durationMs, actorKind }: HealthCheckDraft) => sql`recorded as (
  insert into health_checks (connection_id, outcome, cause, duration_ms, actor_kind)
  values (${connection.id}, ${finding.outcome}, ${finding.cause ?? null}, ${durationMs}, ${actorKind})
  returning *
)`

/**
 * The result is about the grant that was checked: if another one replaced it meanwhile, the result is ignored.
 * One update of the row, because a statement may change a row only once.
 */
function touched({ connection, finding: { outcome, cause }, nextInSeconds }: HealthCheckDraft) {
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
      health_claims = 0,
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

const pruned = ({ connection }: HealthCheckDraft) => sql`pruned as (
  delete from health_checks where connection_id = ${connection.id} and id <= (
    select id from health_checks where connection_id = ${connection.id}
    order by id desc offset ${mostHealthChecks - 1} limit 1
  )
)`

const HealthCheckRow = z.object({
  id: z.number(),
  connectionId: z.string(),
  at: z.date(),
  outcome: z.enum(healthOutcomes),
  cause: CauseColumn,
  durationMs: z.number(),
  actorKind: z.enum(actorKinds),
})

const columns = sql.columns(HealthCheckRow)
