import { type RawBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Database } from '../../../../kit/database/database.ts'
import { type Prepared, Statement } from '../../../../kit/database/prepared.ts'
import { pageOf } from '../../../adapters/postgres/page-of.ts'
import type { LedgerSchema, LinkTable } from '../../../adapters/postgres/schema.ts'
import { inSeconds, noted } from '../../../adapters/postgres/statement-parts.ts'
import { type Link, mayMove, provisioningStates, statesOf } from '../../../domain/link.ts'
import type { DueLinks, LinkSecrets, Links } from '../../../domain/ports/provisioning.ts'
import { leaseClock } from './lease.ts'
import { moveLink, openLink } from './link-move.ts'

/** A worker that neither moves a link nor keeps its lease for `leaseSeconds` has lost it. */
export function postgresLinks(db: Database<LedgerSchema>, run: Prepared, leaseSeconds = 30): Links & LinkSecrets {
  const lease = leaseClock(leaseSeconds)
  return {
    open: (link, audit) => openLink(run, link, audit),
    async find(id) {
      const [row] = await run<Selectable<LinkTable>>(byId, [id])
      return row && toLink(row)
    },
    async list({ tenant, status, cause, cursor, limit }) {
      let query = db
        .selectFrom('links')
        .selectAll()
        .orderBy('id', 'desc')
        .limit(limit + 1)
      if (tenant !== undefined) query = query.where('tenant', '=', tenant)
      if (status !== undefined) query = query.where('state', 'in', statesOf(status))
      if (cause !== undefined) query = query.where('cause', '=', cause)
      if (cursor !== undefined) query = query.where('id', '<', cursor)
      return pageOf((await query.execute()).map(toLink), limit, ({ id }) => id)
    },
    async move(link, to, changes, audit) {
      if (!mayMove(link.state, to)) throw new Error(`a link never goes from ${link.state} to ${to}`)
      const at = lease.read()
      return lease.begin(await moveLink(run, link, to, changes, leaseSeconds, audit), at)
    },
    async keepLease(link) {
      if (lease.isSure(link)) return true
      const at = lease.read()
      const kept = await run(keepingLease, [leaseSeconds, link.id, link.state, link.fence])
      if (kept.length > 0) lease.begin(link, at)
      return kept.length > 0
    },
    async postpone(link, delaySeconds, cause) {
      const row = await db
        .updateTable('links')
        .set({
          due_at: inSeconds(delaySeconds),
          next_try_at: inSeconds(delaySeconds),
          attempts: link.attempts + 1,
          takeovers: 0,
          cause,
          updated_at: sql`now()`,
        })
        .where('id', '=', link.id)
        .where('fence', '=', link.fence)
        .returningAll()
        .executeTakeFirst()
      return row && toLink(row)
    },
    async claimWaiting({ id, state, fence }, audit) {
      // Only between two tries: whoever is at it has the link without a next try, and has raised the fence. It takes the
      // place of the try that was to come: people in a hurry must not use up the patience of a link.
      const at = lease.read()
      const { rows } = await sql<Selectable<LinkTable>>`
        with claimed as (
          update links set due_at = ${inSeconds(leaseSeconds)}, next_try_at = null, fence = fence + 1,
            attempts = greatest(attempts - 1, 0)
          where id = ${id} and state = ${state} and fence = ${fence} and due_at = next_try_at
          returning *
        ), ${noted(audit, 'claimed')}
        select * from claimed`.execute(db)
      return lease.begin(rows[0] && toLink(rows[0]), at)
    },
    async claimDue(query) {
      const at = lease.read()
      const { rows } = await sql<Selectable<LinkTable>>`
        with ${fairlyDue(query)}, ${oneSuspectOrOthers(query)}
        update links set due_at = ${inSeconds(leaseSeconds)}, next_try_at = null, fence = fence + 1,
          takeovers = takeovers + case when ${leaseRanOut} then 1 else 0 end
        where id in (select id from chosen)
        returning *`.execute(db)
      return rows.map((row) => lease.begin(toLink(row), at))
    },
    async outlived(seconds, { after, limit }) {
      const rows = await db
        .selectFrom('links')
        .selectAll()
        .where('state', '=', 'needs_attention')
        .where('updated_at', '<', inSeconds(-seconds))
        .where('id', '>', after)
        .orderBy('id')
        .limit(limit)
        .execute()
      return rows.map(toLink)
    },
    async backlog(tenant, most) {
      const waiting = db
        .selectFrom('links')
        .select('id')
        .where('tenant', '=', tenant)
        .where(waitsForPlatform)
        .limit(most)
        .as('waiting')
      const { count } = await db
        .selectFrom(waiting)
        .select(({ fn }) => fn.countAll<number>().as('count'))
        .executeTakeFirstOrThrow()
      return count
    },
    async countWrongCompletion(link) {
      const row = await db
        .updateTable('links')
        .set({ wrong_completions: sql`wrong_completions + 1` })
        .where('id', '=', link.id)
        .returning('wrong_completions')
        .executeTakeFirstOrThrow()
      return row.wrong_completions
    },
    async waitingCode(id) {
      const row = await db.selectFrom('links').select('waiting_code').where('id', '=', id).executeTakeFirst()
      return row?.waiting_code ?? undefined
    },
    async escrow(id) {
      const row = await db.selectFrom('escrow').select('sealed').where('link_id', '=', id).executeTakeFirst()
      return row?.sealed
    },
    async trialRefresh(id) {
      const row = await db.selectFrom('escrow').select('trial_refresh').where('link_id', '=', id).executeTakeFirst()
      return row?.trial_refresh ?? undefined
    },
    async keepTrialRefresh({ id, fence }, sealed) {
      const { numUpdatedRows } = await db
        .updateTable('escrow')
        .set({ trial_refresh: sealed })
        .where('link_id', '=', id)
        .where(({ exists, selectFrom }) =>
          exists(selectFrom('links').select('id').where('id', '=', id).where('fence', '=', fence)),
        )
        .executeTakeFirst()
      return numUpdatedRows === 1n
    },
  }
}

const byId = new Statement('select * from links where id = $1')

const keepingLease = new Statement(`
  update links set due_at = now() + make_interval(secs => $1)
  where id = $2 and state = $3 and fence = $4 and due_at is not null and next_try_at is null
  returning id`)

/** In the words of the index that serves it. */
const waitsForPlatform = sql<SqlBool>`state in ('escrowed', 'connection_ready', 'function_ready')`

/** Each tenant has a turn before any has a second one, so one with a thousand links cannot hold up one with five. */
const fairlyDue = ({ limit, perTenant }: DueLinks): RawBuilder<unknown> => sql`
  places as (
    select id, due_at, row_number() over (partition by tenant order by due_at) as place from links where due_at <= now()
  ), fair as materialized (
    -- More than are wanted: other workers look at the same ones.
    select id, place, due_at from places where place <= ${perTenant} order by place, due_at limit ${4 * limit}
  )`

/** Whoever has a link has no next try; one that waits for a person is nobody's. */
const leaseRanOut = sql`next_try_at is null and state = any(${[...provisioningStates]})`

/** The first in turn decides: a link that was taken over before comes alone, and stays out of the company of others. */
const oneSuspectOrOthers = ({ limit }: DueLinks): RawBuilder<unknown> => sql`
  free as materialized (
    select next.id, next.takeovers > 0 as suspect, fair.place, fair.due_at
    from fair join links as next on next.id = fair.id and next.due_at <= now()
    order by fair.place, fair.due_at limit ${limit} for update of next skip locked
  ), turns as (
    select id, suspect, row_number() over turn as position, first_value(suspect) over turn as alone
    from free window turn as (order by place, due_at)
  ), chosen as (
    select id from turns where case when alone then position = 1 else not suspect end
  )`

export const toLink = (row: Selectable<LinkTable>): Link => ({
  id: row.id,
  sessionId: row.session_id,
  tenant: row.tenant,
  workspace: row.workspace,
  integration: row.integration,
  endUser: row.end_user,
  returnUrl: row.return_url ?? undefined,
  relink: row.relink,
  allowOtherAccount: row.allow_other_account,
  completionChallenge: row.completion_challenge ?? undefined,
  browser: row.browser,
  state: row.state,
  cause: row.cause ?? undefined,
  resumeFrom: row.resume_from ?? undefined,
  forcedConsent: row.forced_consent,
  missingScopes: row.missing_scopes,
  grantedScopes: row.granted_scopes ?? undefined,
  account: row.account_id === null ? undefined : { id: row.account_id, label: row.account_label ?? row.account_id },
  connectionId: row.connection_id,
  connectionName: row.connection_name,
  functionName: row.function_name,
  functionUrl: row.function_url ?? undefined,
  attempts: row.attempts,
  nextTryAt: row.next_try_at ?? undefined,
  fence: row.fence,
  takeovers: row.takeovers,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
