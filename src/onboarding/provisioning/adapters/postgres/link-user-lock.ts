import { type Queryable, row, sql } from '../../../../kit/database/sql.ts'
import { Id } from '../../../adapters/postgres/schema.ts'
import { type Link, provisioningStates } from '../../../domain/link.ts'

/**
 * The index links_locking_users lets one link of a user and integration have the lock, whoever races. A move to where
 * nobody carries it on gives it back, so a lock never outlives its link.
 */
export async function lockUser(db: Queryable, { id, fence }: Link): Promise<boolean> {
  const locking = sql`
    update links set locks_user = true
    where id = ${id} and fence = ${fence} and state = any(${provisioningStates}::text[])
    returning id`
  return (await row(db, Id, locking).catch(undefinedIfTaken)) !== undefined
}

function undefinedIfTaken(error: Error & { constraint?: string }): undefined {
  if (error.constraint !== 'links_locking_users') throw error
  return undefined
}
