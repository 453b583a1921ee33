import type pg from 'pg'
import { z } from 'zod'
import { CoreEvent } from '../../../contract/resource.ts'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { row, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import type { PageQuery } from '../domain/listing.ts'
import type { Resources } from '../domain/ports.ts'
import type { Document } from '../domain/resource.ts'
import { type GramFrequencies, planSearch, type SearchPlan } from '../domain/search-plan.ts'

export function postgresResourcePages(pool: pg.Pool): Resources['page'] {
  const frequencies = postgresGramFrequencies(pool)
  return async (query) => {
    const plan = planSearch(query.q, query.q ? await frequencies() : new Map())
    return rows(pool, ResourceRow, pageStatement(query, plan))
  }
}

/** Keyset pagination, so that page 10,000 costs as much as page 1. One extra row shows whether there is a next page. */
function pageStatement(query: PageQuery, plan: SearchPlan): Sql {
  const { position, order } = sorting(query)
  const filter = sql.join([...scopeConditions(query), ...searchConditions(query.q, plan)], ' and ')
  if (plan.by === 'scan' || !query.q) {
    return sql`select ${columns} from resources where ${filter} and ${position} order by ${order} limit ${query.limit}`
  }
  // Materialized, because the planner may otherwise scan the whole list in order and expect to find the few hits early.
  return sql`
    with hits as materialized (select id as hit, name, created_at, seq from resources where ${filter}),
    chosen as (select hit from hits where ${position} order by ${order} limit ${query.limit})
    select ${columns} from resources join chosen on id = hit order by ${order}`
}

function scopeConditions({ workspace, kind, parent }: PageQuery): Sql[] {
  const conditions = [sql`workspace = ${workspace}`, sql`kind = ${kind}`]
  return parent === undefined ? conditions : [...conditions, sql`parent = ${parent}`]
}

function searchConditions(q: string, plan: SearchPlan): Sql[] {
  if (!q) return []
  const exact = sql`search like ${`%${q.replace(/[\\%_]/g, '\\$&')}%`}`
  return plan.by === 'grams' ? [sql`search_grams(search) @> ${plan.grams}`, exact] : [exact]
}

function sorting({ sort, after, fromEnd }: PageQuery): { order: Sql; position: Sql } {
  const descending = sort.endsWith('desc') !== fromEnd
  const [direction, sign] = descending ? [sql`desc`, sql`<`] : [sql`asc`, sql`>`]
  const order = sort.startsWith('name') ? sql`name ${direction}` : sql`created_at ${direction}, seq ${direction}`
  return { order, position: after ? beyond(after, sign) : sql`true` }
}

function beyond(after: NonNullable<PageQuery['after']>, sign: Sql): Sql {
  if ('name' in after) return sql`name ${sign} ${after.name}`
  return sql`(created_at, seq) ${sign} (${after.createdAt}::timestamptz, ${after.seq}::bigint)`
}

const Row = z.object({ grams: z.array(z.string()), shares: z.array(z.number().nullable()) })

/** From PostgreSQL's statistics of the index. Empty before the first analyze. */
function postgresGramFrequencies(pool: pg.Pool): () => Promise<GramFrequencies> {
  const remembered = ttlCache(() => readFrequencies(pool), { ttlMs: 60_000, capacity: 1 })
  return () => remembered.get('resources_by_gram')
}

async function readFrequencies(pool: pg.Pool): Promise<GramFrequencies> {
  const statistics = await row(pool, Row, sql`select grams, shares from gram_frequencies()`)
  const { grams, shares } = statistics ?? { grams: [], shares: [] }
  return new Map(grams.map((gram, at) => [gram, shares[at] ?? 0]))
}

const JsonDocument = z.custom<Document>((value) => typeof value === 'object' && value !== null)

export const ResourceRow = z.object({
  id: z.string(),
  seq: z.number(),
  workspace: z.string(),
  kind: z.string(),
  parent: z.string(),
  name: z.string(),
  displayName: z.string(),
  labels: z.record(z.string(), z.string()),
  spec: JsonDocument,
  state: JsonDocument,
  sealed: z.string().nullable(),
  status: z.string().nullable(),
  events: z.array(CoreEvent),
  version: z.number(),
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
  updatedBy: z.string(),
})

export const columns = sql.columns(ResourceRow)
