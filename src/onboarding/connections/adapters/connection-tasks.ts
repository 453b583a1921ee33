import { type RawBuilder, type Selectable, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { LedgerSchema, TaskTable } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import type { ConnectionTask, TaskStep } from '../../domain/connection-task.ts'
import type { ConnectionTasks } from '../../domain/ports/connections.ts'
import { previousSeconds } from '../../domain/stored-grant.ts'
import { isLockLive } from '../../provisioning/adapters/postgres/connections.ts'

/** A worker that does not move a task within `leaseSeconds` loses it. */
export function postgresConnectionTasks(db: Database<LedgerSchema>, leaseSeconds = 30): ConnectionTasks {
  const one = async (statement: RawBuilder<Selectable<TaskTable>>): Promise<ConnectionTask | undefined> => {
    const { rows } = await statement.execute(db)
    return rows[0] && toTask(rows[0])
  }

  return {
    async open({ id, connectionId, kind, step, reason, actor, notes }, audit) {
      return one(sql`
        with locked as (
          update connections set locked_by = ${id}, locked_until = null
          where id = ${connectionId} and status <> 'disconnected' and (locked_by is null or not (${isLockLive}))
          returning id
        ), made as (
          insert into connection_tasks (id, connection_id, kind, step, reason, actor, notes, due_at)
          select ${id}, ${connectionId}, ${kind}, ${step}, ${reason}, ${JSON.stringify(actor)}::jsonb,
            ${JSON.stringify(notes)}::jsonb, ${inSeconds(leaseSeconds)} from locked
          returning *
        ), ${noted(audit, 'made')}
        select * from made`)
    },
    find: (id) => one(sql`select * from connection_tasks where id = ${id}`),
    move: (task, step, notes, audit) =>
      one(sql`
        with ${moved(task, step, sql`due_at = ${inSeconds(leaseSeconds)}, notes = ${JSON.stringify(notes)}::jsonb`)},
        ${noted(audit, 'moved')}
        select * from moved`),
    fail: (task, cause, audit) =>
      one(sql`
        with ${moved(task, 'failed', sql`due_at = null, cause = ${cause}`)}, ${noted(audit, 'moved')}
        select * from moved`),
    finishDisconnect: (task, event, audit) =>
      one(sql`
        with ${moved(task, 'done', sql`due_at = null`)},
        ended as (
          update connections set status = 'disconnected', cause = null, health_due_at = null,
            disconnected_at = now(), status_since = now(), updated_at = now()
          from moved where connections.id = moved.connection_id returning tenant
        ), wiped as (
          delete from stored_grants using moved where stored_grants.connection_id = moved.connection_id
        ), withdrawn as (
          update connect_sessions set cancelled_at = now()
          from moved where connect_sessions.connection_id = moved.connection_id and cancelled_at is null
            and expires_at > now() and not exists (select from links where session_id = connect_sessions.id)
        ), ${noted(audit, 'moved')}, ${announced(event, 'ended')}
        select * from moved`),
    finishRollback: (task, { name, account, scopes }, audit) =>
      one(sql`
        with ${moved(task, 'done', sql`due_at = null`)},
        turned as (
          update stored_grants set
            slot = case slot when 'current' then 'previous' else 'current' end,
            keep_until = case slot when 'current' then ${inSeconds(previousSeconds)} end
          from moved where stored_grants.connection_id = moved.connection_id
        ), renamed as (
          update connections set name = ${name}, account_id = ${account?.id ?? null},
            account_label = ${account?.label ?? null}, scopes = ${scopes}, status = 'active', cause = null,
            grant_version = grant_version + 1, updated_at = now(),
            status_since = case status when 'active' then status_since else now() end
          from moved where connections.id = moved.connection_id
        ), ${noted(audit, 'moved')}
        select * from moved`),
    async postpone({ id, fence }, delaySeconds, cause) {
      await db
        .updateTable('connection_tasks')
        .set({ due_at: inSeconds(delaySeconds), attempts: sql`attempts + 1`, cause, updated_at: sql`now()` })
        .where('id', '=', id)
        .where('fence', '=', fence)
        .where('due_at', 'is not', null)
        .execute()
    },
    async claimDue(limit) {
      const { rows } = await sql<Selectable<TaskTable>>`
        update connection_tasks set due_at = ${inSeconds(leaseSeconds)}, fence = fence + 1
        where id in (
          select id from connection_tasks where due_at <= now() order by due_at limit ${limit} for update skip locked
        )
        returning *`.execute(db)
      return rows.map(toTask)
    },
  }
}

const moved = ({ id, fence, step }: ConnectionTask, to: TaskStep, set: RawBuilder<unknown>) => sql`moved as (
  update connection_tasks set step = ${to}, attempts = 0, updated_at = now(), ${set}
  where id = ${id} and fence = ${fence} and step = ${step}
  returning *
)`

export const toTask = (row: Selectable<TaskTable>): ConnectionTask => ({
  id: row.id,
  connectionId: row.connection_id,
  kind: row.kind,
  step: row.step,
  reason: row.reason,
  actor: row.actor,
  notes: row.notes,
  cause: row.cause ?? undefined,
  attempts: row.attempts,
  fence: row.fence,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
})
