import type pg from 'pg'
import { execute, one, type Queryable, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { Count } from '../../adapters/postgres/schema.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'

/** Cancels sessions that can still be started, or started again. Links in progress fail. */
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

const isCancellable = (id: string): Sql => sql`${isOf(id)} and ${isOpenSession}`
