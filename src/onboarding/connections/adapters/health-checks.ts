import { z } from 'zod'
import { claimDue } from '../../../kit/database/queue.ts'
import { execute, maybe, one, type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { CauseColumn } from '../../adapters/postgres/schema.ts'
import { announced, inMode, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { actorKinds } from '../../domain/audit/audit.ts'
import { healthOutcomes, maxHealthChecks } from '../../domain/health/health.ts'
import type { HealthCheckDraft, HealthChecks } from '../../domain/ports/connections.ts'
import { ConnectionRow, connectionColumns } from '../../provisioning/adapters/postgres/rows.ts'

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
          with ${recorded(checked)}, ${touched(checked)}, ${pruned(checked)}, ${countedByDay(checked)},
          news as (select * from touched where was <> status),
          broke as (select * from news where status = 'needs_relink'),
          ${noted(checked.news, 'news')},
          ${checked.unknown ? unknownParts(checked.unknown) : sql``}
          ${checked.asked ? sql`${noted(checked.asked, 'touched', 'asked', nowIs)},` : sql``}
          ${announced(checked.event, 'broke')}
          select ${columns} from recorded`,
      ),
    async warnOfEnd({ connection: { id, grantVersion }, endsAt, audit, event }) {
      const warned = await execute(
        db,
        sql`
          with ending as (
            update connections set grant_ends_at = ${endsAt}
            where id = ${id} and grant_version = ${grantVersion} and grant_ends_at is null and status = 'active'
            returning tenant
          ), ${noted(audit, 'ending')}, ${announced(event, 'ending')}
          select from ending`,
      )
      return warned > 0
    },
    forgetOldDays: (days) => execute(db, sql`delete from health_days where day < ${inSeconds(-days * daySeconds)}`),
    history: (connectionId) => healthHistory(db, connectionId, maxHealthChecks),
  }
}

const daySeconds = 24 * 60 * 60

const dueChecks = { table: 'connections', key: 'id', due: 'health_due_at', claims: 'health_claims' }

const ClaimedRow = ConnectionRow.extend({ claims: z.number() })

export const healthHistory = (db: Queryable, connectionId: string, limit: number) =>
  rows(
    db,
    HealthCheckRow,
    sql`select ${columns} from health_checks where connection_id = ${connectionId} order by id desc limit ${limit}`,
  )

const HealthCheckRow = z.object({
  id: z.number(),
  connectionId: z.string(),
  at: z.date(),
  outcome: z.enum(healthOutcomes),
  cause: CauseColumn,
  detail: maybe(z.string()),
  durationMs: z.number(),
  actorKind: z.enum(actorKinds),
})

const columns = sql.columns(HealthCheckRow)

const recorded = ({ connection, finding, durationMs, actorKind }: HealthCheckDraft) => sql`recorded as (
  insert into health_checks (connection_id, outcome, cause, detail, duration_ms, actor_kind)
  values (${connection.id}, ${finding.outcome}, ${finding.cause ?? null}, ${finding.detail ?? null}, ${durationMs}, ${actorKind})
  returning *
)`

/** Ignores the result if the grant was replaced. One update, because a statement can change a row only once. */
function touched(checked: HealthCheckDraft) {
  const {
    connection,
    finding: { outcome, cause },
    nextInSeconds,
  } = checked
  const isNews = sql`known.grant_version = ${connection.grantVersion}`
  const breaks = sql`${isNews} and ${outcome === 'broken'}::boolean and known.status <> 'disconnected'`
  const recovers = sql`${isNews} and ${outcome === 'healthy'}::boolean and known.status = 'needs_relink'`
  // `status_since` stays at the first failure.
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

/** Counts consecutive inconclusive checks. A check that did not try the grant changes nothing. */
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

/** The daily counts outlive the checks. Test mode says nothing about an app. */
const countedByDay = ({ connection: { integration }, finding }: HealthCheckDraft) => sql`counted_by_day as (
  insert into health_days (integration, day, outcome, checks)
  select ${integration}, date_trunc('day', now(), 'UTC'), ${finding.outcome}, 1 from touched where ${inMode(false)}
  on conflict (integration, day, outcome) do update set checks = health_days.checks + 1
)`

const unknownParts = ({ news, event }: NonNullable<HealthCheckDraft['unknown']>) => sql`
  unknown as (select * from touched where "becameUnknown"),
  ${noted(news, 'unknown', 'unknown_noted')},
  ${announced(event, 'unknown', 'unknown_announced')},`

const nowIs = sql`|| jsonb_build_object('status', status, 'cause', cause)`

const pruned = ({ connection }: HealthCheckDraft) => sql`pruned as (
  delete from health_checks where connection_id = ${connection.id} and id <= (
    select id from health_checks where connection_id = ${connection.id}
    order by id desc offset ${maxHealthChecks - 1} limit 1
  )
)`
