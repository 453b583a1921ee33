import { sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import { auditRow } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { EntryOf } from '../../domain/audit/audit-entry.ts'
import { mayBeStarted } from '../../linking/adapters/connect-sessions.ts'

/** Cancels sessions that can still be started, or started again. Links in progress fail. */
export const cancelCampaign = (
  db: Database<LedgerSchema>,
  id: string,
  audit: EntryOf<'campaign.cancelled'>,
): Promise<void> =>
  db.transaction().execute(async (transaction) => {
    // Waits for concurrent starts, so that the update sees their links. Ordered, so that two cancellations do not
    // deadlock.
    await sql`select from connect_sessions where ${isOf(id)} order by id for update`.execute(transaction)
    const sessions = await transaction
      .updateTable('connect_sessions')
      .set({ cancelled_at: sql`now()` })
      .where(isCancellable(id))
      .executeTakeFirst()
    const campaign = await transaction
      .updateTable('campaigns')
      .set({ cancelled_at: sql`now()` })
      .where('id', '=', id)
      .where('cancelled_at', 'is', null)
      .executeTakeFirst()
    if (sessions.numUpdatedRows === 0n && campaign.numUpdatedRows === 0n) return
    const after = { ...audit.after, addressesCancelled: Number(sessions.numUpdatedRows) }
    await transaction
      .insertInto('audit')
      .values(auditRow({ ...audit, after }))
      .execute()
  })

export async function countCancellable(db: Database<LedgerSchema>, id: string): Promise<number> {
  const { count } = await db
    .selectFrom('connect_sessions')
    .select(({ fn }) => fn.countAll<number>().as('count'))
    .where(isCancellable(id))
    .executeTakeFirstOrThrow()
  return Number(count)
}

const isOf = (id: string) => sql<boolean>`id in (select session_id from campaign_members where campaign = ${id})`

const isCancellable = (id: string) =>
  sql<boolean>`${isOf(id)} and cancelled_at is null and expires_at > now() and ${mayBeStarted}`
