import type pg from 'pg'
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { PageQuery } from '../domain/listing.ts'
import type { Resources } from '../domain/ports.ts'
import { type GramFrequencies, planSearch, type SearchPlan } from '../domain/search-plan.ts'
import { columns, toResource } from './resource-rows.ts'

export function postgresResourcePages(pool: pg.Pool): Resources['page'] {
  const frequencies = postgresGramFrequencies(pool)
  return async (query) => {
    const plan = planSearch(query.q, query.q ? await frequencies() : new Map())
    const { rows } = await pool.query(pageStatement(query, plan))
    return rows.map(toResource)
  }
}

type Statement = { text: string; values: unknown[] }
type Bind = (value: unknown) => string

/**
 * One page by key: the index is entered at the position, so page 10,000 costs what page 1 costs.
 * One row more than asked for tells whether there is a next page.
 */
function pageStatement(query: PageQuery, plan: SearchPlan): Statement {
  const values: unknown[] = []
  const bind: Bind = (value) => `$${values.push(value)}`
  const { position, order } = sorting(query, bind)
  const filter = [...scopeConditions(query, bind), ...searchConditions(query.q, plan, bind)].join(' and ')
  const limit = bind(query.limit)
  if (plan.by === 'scan' || !query.q) {
    const text = `select ${columns} from resources where ${filter} and ${position} order by ${order} limit ${limit}`
    return { text, values }
  }
  // Materialized: left to itself, the planner may scan the whole list in order, expecting to find the few hits early.
  const text = `
    with hits as materialized (select id as hit, name, created_at, seq from resources where ${filter}),
    chosen as (select hit from hits where ${position} order by ${order} limit ${limit})
    select ${columns} from resources join chosen on id = hit order by ${order}`
  return { text, values }
}

function scopeConditions({ workspace, kind, parent }: PageQuery, bind: Bind): string[] {
  const conditions = [`workspace = ${bind(workspace)}`, `kind = ${bind(kind)}`]
  return parent === undefined ? conditions : [...conditions, `parent = ${bind(parent)}`]
}

function searchConditions(q: string, plan: SearchPlan, bind: Bind): string[] {
  if (!q) return []
  const exact = `search like ${bind(`%${q.replace(/[\\%_]/g, '\\$&')}%`)}`
  return plan.by === 'grams' ? [`search_grams(search) @> ${bind(plan.grams)}`, exact] : [exact]
}

function sorting({ sort, after, fromEnd }: PageQuery, bind: Bind) {
  const descending = sort.endsWith('desc') !== fromEnd
  const [direction, sign] = descending ? ['desc', '<'] : ['asc', '>']
  const order = sort.startsWith('name') ? `name ${direction}` : `created_at ${direction}, seq ${direction}`
  return { order, position: after ? beyond(after, sign as '<' | '>', bind) : 'true' }
}

function beyond(after: NonNullable<PageQuery['after']>, sign: '<' | '>', bind: Bind): string {
  if ('name' in after) return `name ${sign} ${bind(after.name)}`
  return `(created_at, seq) ${sign} (${bind(after.createdAt)}::timestamptz, ${bind(after.seq)}::bigint)`
}

const Row = z.object({ grams: z.array(z.string()), shares: z.array(z.number().nullable()) })

/** What PostgreSQL itself knows about the index; empty until it has looked for the first time. */
function postgresGramFrequencies(pool: pg.Pool): () => Promise<GramFrequencies> {
  const remembered = ttlCache(() => readFrequencies(pool), { ttlMs: 60_000, capacity: 1 })
  return () => remembered.get('resources_by_gram')
}

async function readFrequencies(pool: pg.Pool): Promise<GramFrequencies> {
  const { rows } = await pool.query(
    `select most_common_elems::text::text[] as grams, most_common_elem_freqs as shares
     from pg_stats where schemaname = current_schema() and tablename = 'resources_by_gram'
       and most_common_elems is not null`,
  )
  const { grams, shares } = rows[0] ? stored(Row, rows[0]) : { grams: [], shares: [] }
  return new Map(grams.map((gram, at) => [gram, shares[at] ?? 0]))
}
