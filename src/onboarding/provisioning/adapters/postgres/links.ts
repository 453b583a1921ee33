import { z } from 'zod'
import type { Prepared } from '../../../../kit/database/prepared.ts'
import { oneSuspectOrOthers } from '../../../../kit/database/queue.ts'
import { execute, maybe, one, type Queryable, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { type Cursor, newestPage } from '../../../adapters/postgres/page-of.ts'
import { Count, Id } from '../../../adapters/postgres/schema.ts'
import { inMode, inSeconds, matching, noted } from '../../../adapters/postgres/statement-parts.ts'
import { attemptsAfter } from '../../../domain/dependency-error.ts'
import {
  backlogStates,
  consentedStates,
  type Link,
  LinkRow,
  mayMove,
  provisioningStates,
  statesOf,
} from '../../../domain/link.ts'
import type { DueLinks, LinkChanges, LinkSecrets, Links } from '../../../domain/ports/provisioning.ts'
import { withCalls } from './link-calls.ts'
import { moveLink, openLink } from './link-move.ts'
import { openImported } from './open-imported.ts'
import { linkColumns } from './rows.ts'

/** A worker loses a link if it neither moves the link nor renews its lease for `leaseSeconds`. */
export function postgresLinks(db: Queryable, run: Prepared, leaseSeconds = 30): Links & LinkSecrets {
  const lease = leaseClock(leaseSeconds)
  const lockers = new WeakMap<Link, { isUsersFirst: boolean }>()
  return {
    open: (link, audit) => openLink(run, link, audit),
    async openImported(query, audit) {
      const at = lease.read()
      return (await openImported(run, query, audit, leaseSeconds)).map((link) => lease.begin(link, at))
    },
    find: (id) => row(run, LinkRow, sql`select ${linkColumns} from links where id = ${id}`),
    list({ tenant, integration, testMode, status, cause, cursor, limit }) {
      const inStatus = status === undefined ? sql`` : sql`and state = any(${statesOf(status)}::text[])`
      return linksPage(db, sql`${matching({ tenant, integration, cause })} and ${inMode(testMode)} ${inStatus}`, {
        cursor,
        limit,
      })
    },
    async move(link, to, changes, audit) {
      if (!mayMove(link.state, to)) throw new Error(`a link never goes from ${link.state} to ${to}`)
      const at = lease.read()
      const move = (all: LinkChanges) => moveLink(run, link, to, all, leaseSeconds, audit)
      const unlocked = { ...changes, locksUser: false }
      const moving = move(changes).catch((error) => undefinedIfTaken(error) ?? move(unlocked))
      // Behind the move in its packet, so it costs no round trip. It finds no row if it was not carried out behind it.
      const asking = changes.locksUser ? isUsersFirst(run, link) : Promise.resolve(false)
      const [moved, isFirst] = await Promise.all([moving, asking])
      if (moved?.locksUser) lockers.set(moved.link, { isUsersFirst: isFirst })
      return lease.begin(moved?.link, at)
    },
    async keepLease(link) {
      if (lease.isSure(link)) return true
      const at = lease.read()
      const kept = await row(
        run,
        Id,
        sql`
          update links set due_at = ${inSeconds(leaseSeconds)}
          where id = ${link.id} and state = ${link.state} and fence = ${link.fence}
            and due_at is not null and next_attempt_at is null
          returning id`,
      )
      if (kept) lease.begin(link, at)
      return kept !== undefined
    },
    postpone: (link, delaySeconds, cause, calls) =>
      row(
        db,
        LinkRow,
        sql`
          update links set due_at = ${inSeconds(delaySeconds)}, next_attempt_at = ${inSeconds(delaySeconds)},
            attempts = ${attemptsAfter(link.attempts, cause)}, takeovers = 0, cause = ${cause}, ${withCalls(calls)}, updated_at = now()
          where id = ${link.id} and state = ${link.state} and fence = ${link.fence}
          returning ${linkColumns}`,
      ),
    async claimWaiting({ id, state, fence }, audit) {
      // Only between two attempts. The claim replaces the next attempt, so it does not count.
      const at = lease.read()
      const claimed = await row(
        db,
        LinkRow,
        sql`
          with claimed as (
            update links set due_at = ${inSeconds(leaseSeconds)}, next_attempt_at = null, fence = fence + 1,
              attempts = greatest(attempts - 1, 0)
            where id = ${id} and state = ${state} and fence = ${fence} and due_at = next_attempt_at
            returning *
          ), ${noted(audit, 'claimed')}
          select ${linkColumns} from claimed as links`,
      )
      return lease.begin(claimed, at)
    },
    async claimDue(query) {
      const at = lease.read()
      const claimed = await rows(
        db,
        LinkRow,
        sql`
          with ${fairlyDue(query)}, ${freeToClaim(query)}, ${oneSuspectOrOthers(sql`id`, sql`place, due_at`)}
          update links set due_at = ${inSeconds(leaseSeconds)}, next_attempt_at = null, fence = fence + 1,
            takeovers = takeovers + case when ${leaseRanOut} then 1 else 0 end
          where id in (select id from chosen)
          returning ${linkColumns}`,
      )
      return claimed.map((link) => lease.begin(link, at))
    },
    stalledFor: (seconds, { after, limit }) =>
      rows(
        db,
        LinkRow,
        sql`
          select ${linkColumns} from links
          where state = 'needs_attention' and updated_at < ${inSeconds(-seconds)} and id > ${after}
          order by id limit ${limit}`,
      ),
    latestSettled: ({ integration, tenant, testMode, limit }) =>
      rows(
        db,
        LinkRow,
        sql`
          select ${linkColumns} from (select * from links order by id desc limit 1000) as links
          where ${matching({ integration, tenant })} and ${inMode(testMode)} and state <> 'authorizing'
          order by id desc limit ${limit}`,
      ),
    async hasConsentUnderWay({ tenant, integration, endUserId, exceptLink = '', exceptConnection = '' }) {
      // Such links always have a due time, so the short index of due links finds them.
      const found = await execute(
        db,
        sql`
          select from links where due_at is not null and tenant = ${tenant} and integration = ${integration}
            and id <> ${exceptLink} and connection_id <> ${exceptConnection} and end_user ->> 'id' = ${endUserId}
            and state = any(${consentedStates}::text[]) limit 1`,
      )
      return found > 0
    },
    hasLockedUser: (link) => lockers.has(link),
    isUsersFirst: (link) => lockers.get(link)?.isUsersFirst ?? false,
    lockUser: async (link) => lockers.has(link) || lockUser(db, link),
    async backlog(tenant, max) {
      const waiting = sql`select from links where tenant = ${tenant} and ${inBacklog} limit ${max}`
      return (await one(db, Count, sql`select count(*) as count from (${waiting}) as waiting`)).count
    },
    async countWrongCompletion({ id }) {
      const counted = sql`
        update links set wrong_completions = wrong_completions + 1 where id = ${id} returning wrong_completions as count`
      return (await one(db, Count, counted)).count
    },
    async waitingCode(id) {
      return (await row(db, Sealed, sql`select waiting_code as sealed from links where id = ${id}`))?.sealed
    },
    escrow: (id) => row(run, Escrowed, sql`select ${escrowColumns} from escrow where link_id = ${id}`),
    async keepTrialRefresh({ id, fence }, sealed) {
      const kept = await row(
        run,
        Id,
        sql`
          update escrow set trial_refresh = ${sealed}
          where link_id = ${id} and exists (select from links where id = ${id} and fence = ${fence})
          returning link_id as id`,
      )
      return kept !== undefined
    },
  }
}

const linksPage = (db: Queryable, wanted: Sql, page: Cursor) =>
  newestPage(db, LinkRow, sql`select ${linkColumns} from links where ${wanted}`, page)

const Sealed = z.object({ sealed: maybe(z.string()) })
const Escrowed = z.object({
  sealed: z.string(),
  trialRefresh: maybe(z.string()),
  clientId: maybe(z.string()),
  issuer: maybe(z.string()),
  tokenEndpoint: maybe(z.string()),
})
const escrowColumns = sql.columns(Escrowed)

/** Must match the predicate of index `links_backlog`. */
const inBacklog = sql`state in (${sql.join(backlogStates.map(sql.literal))})`

/** Every tenant gets a turn before any gets a second one. */
const fairlyDue = ({ limit, perTenant }: DueLinks): Sql => sql`
  places as (
    select id, due_at, row_number() over (partition by tenant order by due_at) as place from links where due_at <= now()
  ), fair as materialized (
    -- More than are wanted: other workers look at the same ones.
    select id, place, due_at from places where place <= ${perTenant} order by place, due_at limit ${4 * limit}
  )`

/** A waiting link has a next attempt, and a parked link another state. */
const leaseRanOut = sql`next_attempt_at is null and state = any(${provisioningStates}::text[])`

const freeToClaim = ({ limit }: DueLinks): Sql => sql`
  free as materialized (
    select next.id, next.takeovers > 0 as suspect, fair.place, fair.due_at
    from fair join links as next on next.id = fair.id and next.due_at <= now()
    order by fair.place, fair.due_at limit ${limit} for update of next skip locked
  )`

/** The rest of a lease is longer than one request to a provider or the platform may take. */
const sureShare = 1 / 3

/** Uses the clock that advanced more: one stops while the machine sleeps, the other may be set back. */
export function leaseClock(leaseSeconds: number, clocks = [() => performance.now(), () => Date.now()]) {
  const written = new WeakMap<Link, number[]>()
  return {
    read: () => clocks.map((clock) => clock()),
    /** `at` is read before the statement is sent, so the lease is never overestimated. */
    begin<L extends Link | undefined>(link: L, at: number[]): L {
      if (link) written.set(link, at)
      return link
    },
    isSure(link: Link): boolean {
      const since = written.get(link)
      const ages = since?.map((at, place) => (clocks[place]?.() ?? at) - at)
      return ages !== undefined && Math.max(...ages) < leaseSeconds * 1_000 * sureShare
    },
  }
}

/** Index `links_locking_users` allows one lock per user and integration. Moves to a state without a worker release it. */
async function lockUser(db: Queryable, { id, fence }: Link): Promise<boolean> {
  const locking = sql`
    update links set locks_user = true
    where id = ${id} and fence = ${fence} and state = any(${provisioningStates}::text[])
    returning id`
  return (await row(db, Id, locking).catch(undefinedIfTaken)) !== undefined
}

/** Only a statement that begins after the lock was taken sees every connection that was written under it. */
const isUsersFirst = (run: Prepared, { id, fence }: Link): Promise<boolean> =>
  row(
    run,
    Id,
    sql`
      select id from links
      where id = ${id} and fence = ${fence} and locks_user and not exists (
        select from connections
        where connections.tenant = links.tenant and connections.integration = links.integration
          and connections.end_user_id = links.end_user ->> 'id' and connections.status <> 'disconnected'
      )`,
  ).then(Boolean, () => false)

function undefinedIfTaken(error: Error & { constraint?: string }): undefined {
  if (error.constraint !== 'links_locking_users') throw error
  return undefined
}
