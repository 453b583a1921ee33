import type pg from 'pg'
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { GramFrequencies } from '../domain/search-plan.ts'

const Row = z.object({ grams: z.array(z.string()), shares: z.array(z.number().nullable()) })

/** What PostgreSQL itself knows about the index; empty until it has looked for the first time. */
export function postgresGramFrequencies(pool: pg.Pool): () => Promise<GramFrequencies> {
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
