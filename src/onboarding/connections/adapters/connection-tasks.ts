import { z } from 'zod'
import { claimDue } from '../../../kit/database/queue.ts'
import { execute, maybe, type Queryable, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { ActorColumn, CauseColumn } from '../../adapters/postgres/schema.ts'
import { announced, inSeconds, noted } from '../../adapters/postgres/statement-parts.ts'
import { type ConnectionTask, revocations, type TaskStep, taskKinds, taskSteps } from '../../domain/connection-task.ts'
import { attemptsAfter } from '../../domain/dependency-error.ts'
import type { ConnectionTasks } from '../../domain/ports/connections.ts'
import { previousSeconds } from '../../domain/stored-grant.ts'
import { isOpenSession } from '../../linking/adapters/connect-sessions.ts'
import { mayLock } from '../../provisioning/adapters/postgres/connections.ts'

export function postgresConnectionTasks(db: Queryable, leaseSeconds = 30): ConnectionTasks {
  const task = (statement: Sql) => row(db, TaskRow, statement)

  return {
    open: ({ id, connectionId, kind, step, reason, actor, notes }, audit) =>
      task(sql`
        with locked as (
          update connections set locked_by = ${id}, locked_until = null
          where id = ${connectionId} and ${mayLock(id)}
          returning id
        ), made as (
          insert into connection_tasks (id, connection_id, kind, step, reason, actor, notes, due_at)
          select ${id}, ${connectionId}, ${kind}, ${step}, ${reason ?? null}, ${JSON.stringify(actor)}::jsonb,
            ${JSON.stringify(notes)}::jsonb, ${inSeconds(leaseSeconds)} from locked
          returning *
        ), ${noted(audit, 'made')}
        select ${taskColumns} from made`),
    find: (id) => task(sql`select ${taskColumns} from connection_tasks where id = ${id}`),
    underWay: (connectionId) =>
      task(sql`
        select ${taskColumns} from connection_tasks where connection_id = ${connectionId} and due_at is not null`),
    async keepLease({ id, fence, step }) {
      const kept = await execute(
        db,
        sql`
          update connection_tasks set due_at = ${inSeconds(leaseSeconds)}
          where id = ${id} and fence = ${fence} and step = ${step} and due_at is not null`,
      )
      return kept > 0
    },
    move: (from, step, notes, audit) =>
      task(sql`
        with ${moved(from, step, sql`due_at = ${inSeconds(leaseSeconds)}, notes = ${JSON.stringify(notes)}::jsonb`)},
        ${noted(audit, 'moved')}
        select ${taskColumns} from moved`),
    fail: (from, cause, audit) =>
      task(sql`
        with ${moved(from, 'failed', sql`due_at = null, cause = ${cause}`)}, ${noted(audit, 'moved')}
        select ${taskColumns} from moved`),
    finishDisconnect: (from, event, audit) =>
      task(sql`
        with ${moved(from, 'done', sql`due_at = null`)},
        ended as (
          update connections set status = 'disconnected', cause = null, health_due_at = null,
            disconnected_at = now(), status_since = now(), updated_at = now()
          from moved where connections.id = moved.connection_id returning tenant
        ), wiped as (
          delete from stored_grants using moved where stored_grants.connection_id = moved.connection_id
        ), withdrawn as (
          update connect_sessions set cancelled_at = now()
          from moved where connect_sessions.connection_id = moved.connection_id and ${isOpenSession}
        ), ${noted(audit, 'moved')}, ${announced(event, 'ended')}
        select ${taskColumns} from moved`),
    finishRollback: (from, { name, account, scopes }, audit) =>
      task(sql`
        with ${moved(from, 'done', sql`due_at = null`)},
        turned as (
          update stored_grants set
            slot = case slot when 'current' then 'previous' else 'current' end,
            keep_until = case slot when 'current' then ${inSeconds(previousSeconds)} end
          from moved where stored_grants.connection_id = moved.connection_id
        ), renamed as (
          update connections set name = ${name}, account_id = ${account?.id ?? null},
            account_label = ${account?.label ?? null}, account_claimed = ${account?.claimed ?? false}, scopes = ${scopes}, status = 'active', cause = null,
            unclear_since = null, unclear_checks = 0, unexplained_refusals = 0, health_unknown_since = null,
            grant_ends_at = null, grant_version = grant_version + 1, updated_at = now(),
            status_since = case status when 'active' then status_since else now() end
          from moved where connections.id = moved.connection_id
        ), ${noted(audit, 'moved')}
        select ${taskColumns} from moved`),
    async postpone({ id, fence, attempts }, delaySeconds, cause) {
      await execute(
        db,
        sql`
          update connection_tasks
          set due_at = ${inSeconds(delaySeconds)}, attempts = ${attemptsAfter(attempts, cause)}, claims = 0,
            cause = ${cause}, updated_at = now()
          where id = ${id} and fence = ${fence} and due_at is not null`,
      )
    },
    claimDue: (limit) =>
      rows(
        db,
        TaskRow,
        sql`
          update connection_tasks set due_at = ${inSeconds(leaseSeconds)}, fence = fence + 1, claims = claims + 1
          where id in (${claimDue({ table: 'connection_tasks', key: 'id', due: 'due_at', claims: 'claims', limit })})
          returning ${taskColumns}`,
      ),
  }
}

const moved = ({ id, fence, step }: ConnectionTask, to: TaskStep, set: Sql): Sql => sql`moved as (
  update connection_tasks set step = ${to}, attempts = 0, claims = 1, updated_at = now(), ${set}
  where id = ${id} and fence = ${fence} and step = ${step}
  returning *
)`

export const TaskRow = z.object({
  id: z.string(),
  connectionId: z.string(),
  kind: z.enum(taskKinds),
  step: z.enum([...taskSteps.disconnect, ...taskSteps.rollback]),
  reason: maybe(z.string()),
  actor: ActorColumn,
  notes: z.object({
    revocation: z.enum(revocations).exactOptional(),
    nextName: z.string().exactOptional(),
  }),
  cause: CauseColumn,
  attempts: z.number(),
  fence: z.number(),
  claims: z.number(),
  createdAt: z.date(),
  updatedAt: z.date(),
})

export const taskColumns = sql.columns(TaskRow)
