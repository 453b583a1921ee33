import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, row, sql } from '../../../kit/database/sql.ts'
import { grantGapCodes, type Repairs } from '../domain/repair.ts'

const keptDays = 30

const Row = z
  .object({
    id: z.string(),
    workspace: z.string(),
    functionId: z.string(),
    functionName: z.string(),
    connectionId: z.string(),
    connection: z.string(),
    version: z.int(),
    callerKind: z.enum(['user', 'service_account', 'end_user']),
    callerId: z.string(),
    code: z.enum(grantGapCodes),
    scope: maybe(z.string()),
    isRemembered: z.boolean(),
  })
  .transform(({ callerKind, callerId, ...repair }) => ({ ...repair, caller: { kind: callerKind, id: callerId } }))

const columns = sql`id, workspace, function_id as "functionId", function_name as "functionName", connection_id as "connectionId", connection, version,
  caller_kind as "callerKind", caller_id as "callerId", code, scope,
  ticket_remembered as "isRemembered"`

const Id = z.object({ id: z.string() })

export function postgresRepairs(pool: pg.Pool, newId: () => string) {
  const repairs: Repairs = {
    async open({ workspace, functionId, functionName, gap: { code, scope, connection }, caller }) {
      const opened = await row(
        pool,
        Id,
        sql`insert into repairs (id, workspace, function_id, function_name, connection_id, connection, version,
            caller_kind, caller_id, code, scope)
          values (${newId()}, ${workspace}, ${functionId}, ${functionName}, ${connection.id}, ${connection.name},
            ${connection.version}, ${caller.kind}, ${caller.id}, ${code}, ${scope ?? null})
          on conflict (connection_id, version, function_id, caller_id, code) do update
            set scope = excluded.scope, created_at = now()
          returning id`,
      )
      return (opened as { id: string }).id
    },

    find: (id) => row(pool, Row, sql`select ${columns} from repairs where id = ${id}`),

    async issueTicket(id, { hash, seconds, isRemembered }) {
      await execute(
        pool,
        sql`update repairs set ticket_hash = ${hash}, ticket_remembered = ${isRemembered},
            ticket_expires_at = now() + ${seconds}::integer * interval '1 second'
          where id = ${id}`,
      )
    },

    redeemTicket: ({ workspace, connection }, hash) =>
      row(
        pool,
        Row,
        sql`update repairs set ticket_hash = null
          where ticket_hash = ${hash} and ticket_expires_at > now() and workspace = ${workspace}
            and connection = ${connection}
          returning ${columns}`,
      ),
  }
  return {
    ...repairs,
    sweep: () =>
      execute(pool, sql`delete from repairs where created_at < now() - ${keptDays}::integer * interval '1 day'`),
  }
}
