import { z } from 'zod'
import { one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { CauseColumn } from '../../adapters/postgres/schema.ts'
import { inMode } from '../../adapters/postgres/statement-parts.ts'
import { revocations } from '../../domain/connection-task.ts'
import { mostAlive, mostDeaths } from '../../domain/doctor/deaths.ts'
import { profileCauses } from '../../domain/doctor/volunteer.ts'
import { healthOutcomes } from '../../domain/health/health.ts'
import { linkStates } from '../../domain/link.ts'
import type { ClientOfGrants, DoctorLedger } from '../../domain/ports/doctor.ts'

/** One statement at a time: nobody waits for the doctor. */
export const postgresDoctorLedger = (db: Queryable): DoctorLedger => ({
  latest: async (of) => ({
    link: await latestLink(db, of),
    check: await latestCheck(db, of),
    revocation: await latestRevocation(db, of),
  }),
  async cohort(of) {
    const deaths = await rows(db, Death, deathsOf(of))
    return { deaths, alive: (await one(db, Alive, aliveOf(of))).count }
  },
})

/** A tenant with a client of its own uses no other, and all others use the deployment's; in test mode nobody uses it. */
const isOf = ({ integration, tenant }: ClientOfGrants, table: 'links' | 'connections'): Sql => {
  const [ofIntegration, ofTenant] = [sql.identifier(`${table}.integration`), sql.identifier(`${table}.tenant`)]
  return tenant === undefined
    ? sql`${ofIntegration} = ${integration} and ${inMode(false, `${table}.tenant`)} and not exists
        (select from tenant_oauth_clients own where own.tenant = ${ofTenant} and own.integration = ${ofIntegration})`
    : sql`${ofIntegration} = ${integration} and ${ofTenant} = ${tenant}`
}

const LinkRow = z.object({ state: z.enum(linkStates), cause: CauseColumn, at: z.date() })

/** By the index links_by_integration, which has links that nobody is at any more. Older ones say little of today's app. */
const newestLinks = ({ integration }: ClientOfGrants): Sql =>
  sql`(select * from links where integration = ${integration} and due_at is null order by id desc limit 1000) as links`

/** Only links that came back from the app say something about it. */
const latestLink = (db: Queryable, of: ClientOfGrants) =>
  row(
    db,
    LinkRow,
    sql`
      select state, cause, updated_at as at from ${newestLinks(of)}
      where ${isOf(of, 'links')} and state in ('linked', 'failed', 'needs_attention')
      order by id desc limit 1`,
  )

/** So that what is joined to them stays small, however many there are. The index connections_by_integration has them. */
const newestConnections = (of: ClientOfGrants): Sql =>
  sql`(select id from connections where ${isOf(of, 'connections')} order by id desc limit 500) as connections`

const CheckRow = z.object({ outcome: z.enum(healthOutcomes), cause: CauseColumn, at: z.date() })

const latestCheck = (db: Queryable, of: ClientOfGrants) =>
  row(
    db,
    CheckRow,
    sql`
      select outcome, cause, at from ${newestConnections(of)}
      join lateral (select id as check_id, outcome, cause, at from health_checks
        where connection_id = connections.id
          and (outcome in ('healthy', 'broken') or outcome = 'unclear' and cause = any(${[...profileCauses]}))
        order by id desc limit 1) as checks
        on true
      order by check_id desc limit 1`,
  )

const RevocationRow = z.object({ outcome: z.enum(revocations), at: z.date() })

const latestRevocation = (db: Queryable, of: ClientOfGrants) =>
  row(
    db,
    RevocationRow,
    sql`
      select notes ->> 'revocation' as outcome, connection_tasks.updated_at as at
      from ${newestConnections(of)} join connection_tasks on connection_tasks.connection_id = connections.id
      where kind = 'disconnect' and notes ? 'revocation'
      order by connection_tasks.id desc limit 1`,
  )

const Death = z.object({ grantedAt: z.date(), diedAt: z.date() })

/**
 * Of the last hundred days, which is longer than any provider leaves a grant idle. Which they are is read in the index
 * connections_needing_attention alone.
 */
const deathsOf = (of: ClientOfGrants): Sql => sql`
  select coalesce(relinked_at, created_at) as "grantedAt", status_since as "diedAt" from connections
  where id in (
    select id from connections where ${isOf(of, 'connections')} and status = 'needs_relink'
      and cause in ('grant_revoked', 'client_rejected') and status_since > now() - interval '100 days'
    order by id desc limit ${mostDeaths})
  order by id desc`

const Alive = z.object({ count: z.number() })

const aliveOf = (of: ClientOfGrants): Sql => sql`
  select count(*) as count from (select from connections where ${isOf(of, 'connections')} and status = 'active'
    limit ${mostAlive}) as alive`
