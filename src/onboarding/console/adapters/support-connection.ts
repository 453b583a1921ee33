// Everything that a connection's page shows besides the connection.
import { sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import { toTask } from '../../connections/adapters/connection-tasks.ts'
import type { HealthCheck } from '../../domain/health.ts'
import type { GrantTrace, OpenAddress, TaskTrace } from '../../domain/ports/support-ledger.ts'
import { mayBeStarted } from '../../linking/adapters/connect-sessions.ts'

type Db = Database<LedgerSchema>

export async function healthOf(db: Db, connectionId: string, limit: number): Promise<HealthCheck[]> {
  const checks = db.selectFrom('health_checks').selectAll().where('connection_id', '=', connectionId)
  const rows = await checks.orderBy('id', 'desc').limit(limit).execute()
  return rows.map((row) => ({
    id: row.id,
    connectionId,
    at: row.at,
    outcome: row.outcome,
    cause: row.cause ?? undefined,
    durationMs: row.duration_ms,
    actorKind: row.actor_kind,
  }))
}

/** Fingerprints and dates only: the sealed grant is not read. */
export async function grantsOf(db: Db, connectionId: string): Promise<GrantTrace[]> {
  const rows = await db
    .selectFrom('stored_grants')
    .select(['link_id', 'slot', 'fingerprint', 'keep_until', 'created_at', sql<boolean>`sealed is not null`.as('kept')])
    .where('connection_id', '=', connectionId)
    .orderBy('slot')
    .execute()
  return rows.map((row) => ({
    linkId: row.link_id,
    slot: row.slot,
    fingerprint: row.fingerprint ?? undefined,
    isKept: row.kept,
    keptUntil: row.keep_until ?? undefined,
    since: row.created_at,
  }))
}

/** Not sorted by id: a seeded id has the time of the first attempt, and another task may be newer. */
export async function lastTaskOf(db: Db, connectionId: string): Promise<TaskTrace | undefined> {
  const tasks = db.selectFrom('connection_tasks').selectAll().where('connection_id', '=', connectionId)
  const openFirst = tasks.orderBy(sql`due_at is null`).orderBy('created_at', 'desc')
  const row = await openFirst.limit(1).executeTakeFirst()
  return row && toTask(row)
}

/** Sessions that can still be started. */
export async function openAddressesOf(db: Db, connectionId: string): Promise<OpenAddress[]> {
  const rows = await db
    .selectFrom('connect_sessions')
    .select(['id', 'expires_at', 'created_at', 'allow_other_account'])
    .where('connection_id', '=', connectionId)
    .where('cancelled_at', 'is', null)
    .where(sql<boolean>`expires_at > now()`)
    .where(mayBeStarted)
    .orderBy('id', 'desc')
    .limit(10)
    .execute()
  return rows.map((row) => ({
    id: row.id,
    expiresAt: row.expires_at,
    createdAt: row.created_at,
    allowOtherAccount: row.allow_other_account,
  }))
}
