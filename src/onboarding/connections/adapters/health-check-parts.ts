// Parts of the statement that records a health check.
import { type Sql, sql } from '../../../kit/database/sql.ts'
import { announced, inMode, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { mostHealthChecks } from '../../domain/health/health.ts'
import type { HealthCheckDraft } from '../../domain/ports/connections.ts'

export const recorded = ({ connection, finding, durationMs, actorKind }: HealthCheckDraft) => sql`recorded as (
  insert into health_checks (connection_id, outcome, cause, detail, duration_ms, actor_kind)
  values (${connection.id}, ${finding.outcome}, ${finding.cause ?? null}, ${finding.detail ?? null}, ${durationMs}, ${actorKind})
  returning *
)`

/**
 * The result is about the grant that was checked: if another one replaced it meanwhile, the result is ignored.
 * One update of the row, because a statement may change a row only once.
 */
export function touched(checked: HealthCheckDraft) {
  const {
    connection,
    finding: { outcome, cause },
    nextInSeconds,
  } = checked
  const isNews = sql`known.grant_version = ${connection.grantVersion}`
  const breaks = sql`${isNews} and ${outcome === 'broken'}::boolean and known.status <> 'disconnected'`
  const recovers = sql`${isNews} and ${outcome === 'healthy'}::boolean and known.status = 'needs_relink'`
  // status_since stays at the first failure if the connection is found broken again.
  const turns = sql`(${breaks} and known.status <> 'needs_relink') or (${recovers})`
  return sql`known as (
    select id, status, grant_version, health_unknown_since from connections where id = ${connection.id} for update
  ), touched as (
    update connections set
      checked_at = now(),
      health_claims = 0,
      health_due_at = case when known.status = 'disconnected' then null else ${inSeconds(nextInSeconds)} end,
      status = case when ${breaks} then 'needs_relink' when ${recovers} then 'active' else known.status end,
      cause = case when ${breaks} then ${cause ?? null}::text when ${recovers} then null else connections.cause end,
      status_since = case when ${turns} then now() else connections.status_since end,
      updated_at = case when ${turns} then now() else connections.updated_at end,
      ${counted(checked, isNews)}
    from known where connections.id = known.id
    returning connections.id, tenant, connections.status, connections.cause, known.status as was,
      known.health_unknown_since is null and connections.health_unknown_since is not null as "becameUnknown"
  )`
}

/** Checks in a row that could not tell whether the connection works. One that did not try the grant changes nothing. */
function counted({ finding: { outcome, isUnexplained }, unknown }: HealthCheckDraft, isNews: Sql): Sql {
  if (outcome === 'untested') return sql`unclear_checks = connections.unclear_checks`
  const isUnclear = outcome === 'unclear'
  const kept = (column: Sql, then: Sql, otherwise: Sql) =>
    sql`${column} = case when not (${isNews}) then connections.${column} when ${isUnclear} then ${then} else ${otherwise} end`
  const since = sql`coalesce(connections.unclear_since, now())`
  const refusals = sql`connections.unexplained_refusals + ${isUnexplained ? 1 : 0}::integer`
  return sql.join([
    kept(sql`unclear_since`, since, sql`null`),
    kept(sql`unclear_checks`, sql`connections.unclear_checks + 1`, sql`0`),
    kept(sql`unexplained_refusals`, refusals, outcome === 'healthy' ? sql`0` : refusals),
    kept(
      sql`health_unknown_since`,
      sql`coalesce(connections.health_unknown_since, case when ${unknown !== undefined} then ${since} end)`,
      sql`null`,
    ),
  ])
}

/** Counted once more for the chart of the integration, which outlives the checks. Test mode says nothing about an app. */
export const countedByDay = ({ connection: { integration }, finding }: HealthCheckDraft) => sql`counted_by_day as (
  insert into health_days (integration, day, outcome, checks)
  select ${integration}, date_trunc('day', now(), 'UTC'), ${finding.outcome}, 1 from touched where ${inMode(false)}
  on conflict (integration, day, outcome) do update set checks = health_days.checks + 1
)`

export const unknownParts = ({ news, event }: NonNullable<HealthCheckDraft['unknown']>) => sql`
  unknown as (select * from touched where "becameUnknown"),
  ${noted(news, 'unknown', 'unknown_noted')},
  ${announced(event, 'unknown', 'unknown_announced')},`

export const nowIs = sql`|| jsonb_build_object('status', status, 'cause', cause)`

export const pruned = ({ connection }: HealthCheckDraft) => sql`pruned as (
  delete from health_checks where connection_id = ${connection.id} and id <= (
    select id from health_checks where connection_id = ${connection.id}
    order by id desc offset ${mostHealthChecks - 1} limit 1
  )
)`
