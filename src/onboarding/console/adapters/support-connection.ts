// Everything that a connection's page shows besides the connection.
import { z } from 'zod'
import { maybe, type Queryable, row, rows, sql } from '../../../kit/database/sql.ts'
import { TaskRow, taskColumns } from '../../connections/adapters/connection-tasks.ts'
import type { GrantTrace, OpenAddress, TaskTrace } from '../../domain/ports/support-ledger.ts'
import { grantSlots } from '../../domain/stored-grant.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'

/** Fingerprints and dates only: the sealed grant is not read. */
export const grantsOf = (db: Queryable, connectionId: string): Promise<GrantTrace[]> =>
  rows(
    db,
    GrantRow,
    sql`
      select link_id as "linkId", slot, fingerprint, sealed is not null as "isStored", keep_until as "storedUntil",
        created_at as since
      from stored_grants where connection_id = ${connectionId} order by slot`,
  )

const GrantRow = z.object({
  linkId: z.string(),
  slot: z.enum(grantSlots),
  fingerprint: maybe(z.string()),
  isStored: z.boolean(),
  storedUntil: maybe(z.date()),
  since: z.date(),
})

/** Not sorted by id: a seeded id has the time of the first attempt, and another task may be newer. */
export const lastTaskOf = (db: Queryable, connectionId: string): Promise<TaskTrace | undefined> =>
  row(
    db,
    TaskRow,
    sql`
      select ${taskColumns} from connection_tasks where connection_id = ${connectionId}
      order by due_at is null, created_at desc limit 1`,
  )

/** Sessions that can still be started. */
export const openAddressesOf = (db: Queryable, connectionId: string): Promise<OpenAddress[]> =>
  rows(
    db,
    AddressRow,
    sql`
      select ${sql.columns(AddressRow)} from connect_sessions
      where connection_id = ${connectionId} and ${isOpenSession}
      order by id desc limit 10`,
  )

const AddressRow = z.object({
  id: z.string(),
  expiresAt: z.date(),
  createdAt: z.date(),
  allowOtherAccount: z.boolean(),
})
