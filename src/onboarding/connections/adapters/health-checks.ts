import { z } from 'zod'
import { claimDue } from '../../../kit/database/queue.ts'
import { execute, maybe, one, type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import { CauseColumn } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { actorKinds } from '../../domain/audit/audit.ts'
import { healthOutcomes, mostHealthChecks } from '../../domain/health/health.ts'
import type { HealthChecks } from '../../domain/ports/connections.ts'
import { ConnectionRow, connectionColumns } from '../../provisioning/adapters/postgres/rows.ts'
import { countedByDay, nowIs, pruned, recorded, touched, unknownParts } from './health-check-parts.ts'

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
    history: (connectionId) => healthHistory(db, connectionId, mostHealthChecks),
  }
}

const daySeconds = 24 * 60 * 60

const dueChecks = { table: 'connections', key: 'id', due: 'health_due_at', claims: 'health_claims' }

const ClaimedRow = ConnectionRow.extend({ claims: z.number() })

/** Newest first. */
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
