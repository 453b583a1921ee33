import type pg from 'pg'
import { z } from 'zod'
import type { Grouping } from '../../../contract/billing/metrics.ts'
import { row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { type EntryField, enrichedFields, entryFieldNames, entryFields, showsUsage } from '../domain/grouping.ts'
import type { Group, Metrics, Page, Question, Sum } from '../domain/ports.ts'
import { coverOf } from '../domain/window.ts'
import { columns, conditionOf, factsOf } from './facts.ts'
import { fillBuckets } from './group-buckets.ts'

const TypeRow = z.object({ type: z.string() })
const OwnerRow = z.object({ accountId: z.string() })

export function postgresMetrics(pool: pg.Pool): Metrics {
  return {
    read: (question, page) =>
      inSnapshot(pool, async (client) => {
        const found = await readGroups(client, question, page)
        if (found.groups.length > 0) await fillBuckets(client, question, found.groups)
        return found
      }),

    async resourceTypes(accountId, window) {
      const facts = factsOf(conditionOf(accountId, noFilters), coverOf(window, 'month'))
      const types = await rows(
        pool,
        TypeRow,
        sql`select distinct resource_type collate "C" as type from (${facts}) facts order by 1`,
      )
      return types.map(({ type }) => type)
    },

    async accountOf(workspace) {
      const owner = sql`select account_id as "accountId" from workspace_owners where workspace = ${workspace}`
      return (await row(pool, OwnerRow, owner))?.accountId
    },
  }
}

const noFilters = {
  workspace: undefined,
  resourceType: undefined,
  resourceName: undefined,
  resourceUuid: undefined,
  billingDimension: undefined,
}

/** Groups, buckets and the total must cover the same events while new ones arrive. */
const inSnapshot = <T>(pool: pg.Pool, read: (client: pg.PoolClient) => Promise<T>): Promise<T> =>
  inTransaction(pool, read, 'begin isolation level repeatable read read only')

const GroupRow = z.object({
  totalCost: z.string(),
  totalUsage: z.string(),
  key: z.array(z.string()).nullable(),
  lowest: z.array(z.string().nullable()).nullable(),
  highest: z.array(z.string().nullable()).nullable(),
  cost: z.string().nullable(),
  usage: z.string().nullable(),
})

/** Sums all groups for the total and returns one page. Totals come from the coarsest sums. */
async function readGroups(client: pg.PoolClient, question: Question, { after, limit, costliestFirst }: Page) {
  const { accountId, filters, window, groupBy } = question
  const facts = factsOf(conditionOf(accountId, filters), coverOf(window, 'month'))
  const enriched = enrichedFields(groupBy)
  const found = await rows(
    client,
    GroupRow,
    sql`with groups as (
        select ${keyOf(groupBy)} as key, ${bounds(sql`min`, enriched)} as lowest, ${bounds(sql`max`, enriched)} as highest,
          coalesce(sum(cost), 0) as cost, ${showsUsage(groupBy) ? sql`coalesce(sum(usage), 0)` : sql`0::numeric`} as usage
        from (${facts}) facts ${groupClause(groupBy)})
      select total.*, page.* from
        (select coalesce(sum(cost), 0) as "totalCost", coalesce(sum(usage), 0) as "totalUsage" from groups) total
        left join (
          select * from groups ${after ? sql`where key > ${after}::text[] collate "C"` : sql``}
          order by ${costliestFirst ? sql`cost desc, key` : sql`key`} limit ${limit}) page on true
      order by ${costliestFirst ? sql`page.cost desc, page.key` : sql`page.key`}`,
  )
  const total: Sum = { cost: found[0]?.totalCost ?? '0', usage: found[0]?.totalUsage ?? '0' }
  return { total, groups: found.flatMap((each) => toGroup(each, groupBy, enriched)) }
}

const keyed = (groupBy: readonly Grouping[]): Sql => sql.join(groupBy.map((each) => sql`${columns[each]} collate "C"`))

const keyOf = (groupBy: readonly Grouping[]): Sql =>
  groupBy.length > 0 ? sql`array[${keyed(groupBy)}]` : sql`array[]::text[] collate "C"`

const groupClause = (groupBy: readonly Grouping[]): Sql =>
  groupBy.length > 0 ? sql`group by ${keyed(groupBy)}` : sql`group by ()`

const bounds = (which: Sql, fields: readonly EntryField[]): Sql => {
  const each = fields.map((field) => sql`${which}(${columns[entryFields[field].own]} collate "C")`)
  return sql`array[${sql.join(each)}]::text[]`
}

function toGroup(
  row: z.infer<typeof GroupRow>,
  groupBy: readonly Grouping[],
  enriched: readonly EntryField[],
): Group[] {
  const { key, lowest, highest, cost, usage } = row
  if (!key || cost === null || usage === null) return []
  const fields: Group['fields'] = {}
  for (const field of entryFieldNames) {
    const own = groupBy.indexOf(entryFields[field].own)
    if (own >= 0) fields[field] = key[own] ?? ''
  }
  for (const [at, field] of enriched.entries()) {
    if (lowest?.[at] === highest?.[at]) fields[field] = lowest?.[at] ?? ''
  }
  return [{ key, fields, sum: { cost, usage }, buckets: new Map() }]
}
