import { z } from 'zod'
import { one, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { CauseColumn } from '../../adapters/postgres/schema.ts'
import { inMode } from '../../adapters/postgres/statement-parts.ts'
import { revocations } from '../../domain/connection-task.ts'
import { maxAlive, maxDeaths } from '../../domain/doctor/deaths.ts'
import { maxStarted, profileCauses } from '../../domain/doctor/volunteer.ts'
import { healthOutcomes } from '../../domain/health/health.ts'
import { linkStates } from '../../domain/link.ts'
import type { ClientOfGrants, DoctorLedger } from '../../domain/ports/doctor.ts'

/** Runs its statements one at a time: the doctor is never urgent, so it uses one connection. */
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
  started: (of) => rows(db, Started, startedOf(of)),
  siblings: (of, except, since) => one(db, SiblingsRow, siblingsOf(of, except, since)),
})

/** Without a tenant, only links and connections that use the deployment's client. */
const isOf = ({ integration, tenant }: ClientOfGrants, table: 'links' | 'connections'): Sql => {
  const [ofIntegration, ofTenant] = [sql.identifier(`${table}.integration`), sql.identifier(`${table}.tenant`)]
  return tenant === undefined
    ? sql`${ofIntegration} = ${integration} and ${inMode(false, `${table}.tenant`)} and not exists
        (select from tenant_oauth_clients own where own.tenant = ${ofTenant} and own.integration = ${ofIntegration})`
    : sql`${ofIntegration} = ${integration} and ${ofTenant} = ${tenant}`
}

const LinkRow = z.object({ state: z.enum(linkStates), cause: CauseColumn, at: z.date() })

/** Uses the index `links_by_integration`. Older links say little about the app today. */
const newestLinks = ({ integration }: ClientOfGrants): Sql =>
  sql`(select * from links where integration = ${integration} and due_at is null order by id desc limit 1000) as links`

const latestLink = (db: Queryable, of: ClientOfGrants) =>
  row(
    db,
    LinkRow,
    sql`
      select state, cause, updated_at as at from ${newestLinks(of)}
      where ${isOf(of, 'links')} and state in ('linked', 'failed', 'needs_attention')
      order by id desc limit 1`,
  )

const Started = z.object({ cameBack: z.boolean(), cause: CauseColumn })

/** A cancelled link did not send the user to the app. */
const startedOf = (of: ClientOfGrants): Sql => sql`
  select not (state = 'abandoned' and cause in ('session_expired', 'callback_missing')) as "cameBack", cause
  from ${newestLinks(of)}
  where ${isOf(of, 'links')} and import_id is null and state <> 'cancelled' and updated_at > now() - interval '30 days'
  order by id desc limit ${maxStarted}`

/** Keeps the joins below small. Uses the index `connections_by_integration`. */
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

const Death = z.object({ grantedAt: z.date(), diedAt: z.date(), imported: z.boolean(), isReplaced: z.boolean() })

/** 100 days is longer than any provider keeps an idle grant. Uses the index `connections_needing_attention`. */
const deathsOf = (of: ClientOfGrants): Sql => sql`
  select coalesce(relinked_at, created_at) as "grantedAt", status_since as "diedAt",
    relinked_at is null and exists
      (select from links where links.connection_id = connections.id and links.import_id is not null) as imported,
    exists
      (select from connections later where later.integration = connections.integration
        and later.account_id = connections.account_id and later.id <> connections.id
        and coalesce(later.relinked_at, later.created_at) > coalesce(connections.relinked_at, connections.created_at)
        and coalesce(later.relinked_at, later.created_at) < connections.status_since) as "isReplaced"
  from connections
  where id in (
    select id from connections where ${isOf(of, 'connections')} and status = 'needs_relink'
      and cause in ('grant_revoked', 'client_rejected') and status_since > now() - interval '100 days'
    order by id desc limit ${maxDeaths})
  order by id desc`

const Alive = z.object({ count: z.number() })

const aliveOf = (of: ClientOfGrants): Sql => sql`
  select count(*) as count from (select from connections where ${isOf(of, 'connections')} and status = 'active'
    limit ${maxAlive}) as alive`

const SiblingsRow = z.object({ worked: z.number(), refused: z.number(), unchecked: z.number() })

const siblingsOf = (of: ClientOfGrants, except: string, since: Date): Sql => sql`
  select count(*) filter (where checked_at >= ${since} and unclear_since is null) as worked,
    count(*) filter (where checked_at >= ${since} and unexplained_refusals > 0) as refused,
    count(*) filter (where checked_at is null or checked_at < ${since}) as unchecked
  from (select checked_at, unclear_since, unexplained_refusals from connections
    where ${isOf(of, 'connections')} and status = 'active' and id <> ${except}
    order by id desc limit ${maxAlive}) as siblings`
