import type pg from 'pg'
import { z } from 'zod'
import { execute, maybe, one, prepared, row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import {
  approvers,
  type ListedTools,
  type SeenList,
  type ToolList,
  type ToolListKey,
  type ToolLists,
} from '../domain/vendor/tool-list.ts'
import { type VendorTool, vendorCapabilities } from '../domain/vendor/vendor-mcp.ts'

// Stored as text: vendors may send characters that `jsonb` rejects.
const Stored = z.string().transform((text) => JSON.parse(text) as { tools: VendorTool[]; instructions: string | null })

const Row = z
  .object({
    functionId: z.string(),
    integration: z.string(),
    position: z.int(),
    connection: z.string(),
    capabilities: z.array(z.enum(vendorCapabilities)),
    approvedHash: z.string(),
    approved: Stored,
    approvedAt: z.date(),
    approvedBy: z.string(),
    pendingHash: maybe(z.string()),
    pending: maybe(Stored),
    pendingSince: maybe(z.date()),
    seenAt: z.date(),
    seenWith: z.string(),
  })
  .transform(
    ({ approvedHash, approvedAt, approvedBy, pendingHash, pendingSince, ...list }): ToolList => ({
      ...list,
      approved: { ...listed(approvedHash, list.approved), at: approvedAt, by: approvedBy },
      pending:
        list.pending && pendingHash !== undefined && pendingSince
          ? { ...listed(pendingHash, list.pending), since: pendingSince }
          : undefined,
    }),
  )

const listed = (hash: string, { tools, instructions }: z.output<typeof Stored>): ListedTools => ({
  hash,
  tools,
  instructions: instructions ?? undefined,
})

const columns = sql`function_id as "functionId", integration, position, connection, capabilities,
  approved_hash as "approvedHash", approved, approved_at as "approvedAt", approved_by as "approvedBy",
  pending_hash as "pendingHash", pending, pending_since as "pendingSince", seen_at as "seenAt", seen_with as "seenWith"`

const isAt = ({ functionId, integration, position }: ToolListKey): Sql =>
  sql`function_id = ${functionId} and integration = ${integration} and position = ${position}`

const Outcome = z.object({ outcome: z.enum(['first', 'same', 'held', 'allowed']) })

export function postgresToolLists(pool: pg.Pool): ToolLists {
  const find = (key: ToolListKey) => row(pool, Row, prepared(sql`select ${columns} from tool_lists where ${isAt(key)}`))
  return {
    find,

    ofFunction: (functionId) =>
      rows(
        pool,
        Row,
        sql`select ${columns} from tool_lists where function_id = ${functionId} order by integration, position`,
      ),

    async see(key, { connection, seenWith, listed: { hash, tools, instructions }, capabilities, policy }) {
      const text = JSON.stringify({ tools, instructions: instructions ?? null })
      const seen = { hash, text, connection, seenWith, capabilities, policy }
      const { outcome } = await one(pool, Outcome, seeStatement(key, seen))
      const list = await find(key)
      if (!list) throw new Error('the tool list just written is missing')
      return { list, outcome }
    },

    async doubt(key) {
      await execute(pool, sql`update tool_lists set seen_with = '' where ${isAt(key)}`)
    },

    approve: async (key, hash, by) =>
      (await execute(
        pool,
        sql`update tool_lists set approved_hash = pending_hash, approved = pending, approved_at = now(),
            approved_by = ${by}, pending_hash = null, pending = null, pending_since = null
          where ${isAt(key)} and pending_hash = ${hash}`,
      )) === 1,
  }
}

type ListRow = { hash: string; text: string } & Omit<SeenList, 'listed'>

/** `before` sees the old row even if `written` runs first: a statement reads one snapshot. */
const seeStatement = (key: ToolListKey, { hash, text, connection, seenWith, capabilities, policy }: ListRow): Sql => {
  const isSettled = sql`(${policy === 'allow'}::boolean or list.approved_hash = excluded.approved_hash)`
  const isReplaced = sql`(${policy === 'allow'}::boolean and list.approved_hash <> excluded.approved_hash)`
  return sql`
    with before as (select approved_hash, pending_hash from tool_lists where ${isAt(key)}),
    written as (
      insert into tool_lists as list (function_id, integration, position, connection, capabilities,
        approved_hash, approved, approved_by, seen_with)
      values (${key.functionId}, ${key.integration}, ${key.position}, ${connection}, ${capabilities}::text[],
        ${hash}, ${text}, ${approvers.first}, ${seenWith})
      on conflict (function_id, integration, position) do update set
        connection = excluded.connection, capabilities = excluded.capabilities,
        seen_at = now(), seen_with = excluded.seen_with,
        approved_hash = case when ${isReplaced} then excluded.approved_hash else list.approved_hash end,
        approved = case when ${isReplaced} then excluded.approved else list.approved end,
        approved_at = case when ${isReplaced} then now() else list.approved_at end,
        approved_by = case when ${isReplaced} then ${approvers.policy} else list.approved_by end,
        pending_hash = case when ${isSettled} then null else excluded.approved_hash end,
        pending = case when ${isSettled} then null else excluded.approved end,
        pending_since = case
          when ${isSettled} then null
          when list.pending_hash = excluded.approved_hash then list.pending_since
          else now() end
      returning approved_hash, pending_hash
    )
    select case
        when before.approved_hash is null then 'first'
        when ${hash} in (before.approved_hash, before.pending_hash) then 'same'
        when written.pending_hash is null then 'allowed'
        else 'held' end as outcome
    from written left join before on true`
}
