import type pg from 'pg'
import { execute, one, type Queryable, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { Count } from '../../adapters/postgres/schema.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { type Link, waitingStates } from '../../domain/link.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'
import { LinkRow, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'

/** Cancels sessions that can still be started, or started again, or whose link waits for a person. */
export const cancelCampaign = (pool: pg.Pool, id: string, audit: EntryOf<'campaign.cancelled'>): Promise<void> =>
  inTransaction(pool, async (transaction) => {
    // Waits for concurrent starts, so that the update sees their links. Ordered, so that two cancellations do not
    // deadlock.
    await execute(transaction, sql`select from connect_sessions where ${isOf(id)} order by id for update`)
    const sessions = await execute(
      transaction,
      sql`update connect_sessions set cancelled_at = now() where ${isCancellable(id)}`,
    )
    const campaigns = await execute(
      transaction,
      sql`update campaigns set cancelled_at = now() where id = ${id} and cancelled_at is null`,
    )
    if (sessions === 0 && campaigns === 0) return
    await noteAudit(transaction, { ...audit, after: { ...audit.after, addressesCancelled: sessions } })
  })

export async function countCancellable(db: Queryable, id: string): Promise<number> {
  const query = sql`select count(*) as count from connect_sessions where ${isCancellable(id)}`
  return (await one(db, Count, query)).count
}

const isOf = (id: string): Sql => sql`id in (select session_id from campaign_members where campaign = ${id})`

/** They were sent to the wrong people, and one of them may be at the provider by now. */
export const waitingLinks = (db: Queryable, id: string): Promise<Link[]> =>
  rows(
    db,
    LinkRow,
    sql`
      select ${linkColumns} from links
      where session_id in (select session_id from campaign_members where campaign = ${id}) and ${isWaiting}
      order by id`,
  )

const isWaiting = sql`links.state = any(${waitingStates}::text[])`

const isMidway = sql`cancelled_at is null
  and exists (select from links where links.session_id = connect_sessions.id and ${isWaiting})`

const isCancellable = (id: string): Sql => sql`${isOf(id)} and ((${isOpenSession}) or (${isMidway}))`
