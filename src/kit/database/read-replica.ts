import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { z } from 'zod'
import { openPool, type PoolOptions } from './pool.ts'
import { one, type Queryable, sql } from './sql.ts'

const maxWaitMs = 200
const pauseMs = 10
/** Otherwise each read would wait for a standby that does not answer. */
const restMs = 10_000

export type Reader = Queryable & { close(): Promise<void> }

/** Reads from a standby that has everything that was committed before the read, or else from the primary. */
export function openReader(url: string | undefined, primary: pg.Pool, options: PoolOptions = {}): Reader {
  if (url === undefined) return { query: (config) => primary.query(config), close: async () => {} }
  const replica = openPool(url, options)
  let restUntil = 0
  const isCurrent = async () => {
    const { written } = await one(primary, Written, sql`select pg_current_wal_flush_lsn()::text as written`)
    for (const startedAt = performance.now(); performance.now() - startedAt < maxWaitMs; await pause(pauseMs)) {
      if ((await one(replica, Replayed, replayed(written))).isCurrent) return true
    }
    return false
  }
  return {
    async query(config) {
      if (performance.now() < restUntil) return primary.query(config)
      try {
        if (await isCurrent()) return await replica.query(config)
      } catch {
        // A replay can also cancel a read of the standby.
      }
      restUntil = performance.now() + restMs
      return primary.query(config)
    },
    close: () => replica.end(),
  }
}

/** Null on a primary, which may be an old one. */
const replayed = (written: string) => sql`
  select coalesce(pg_last_wal_replay_lsn() >= ${written}::pg_lsn, false) as "isCurrent"`

const Written = z.object({ written: z.string() })
const Replayed = z.object({ isCurrent: z.boolean() })
