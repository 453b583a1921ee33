import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { execute, sql } from '../../../../kit/database/sql.ts'

const everyMs = 10_000

/** Notes that a sandbox is used, for policies that delete idle ones. At most every ten seconds for each. */
export function sandboxUse(pool: pg.Pool) {
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: everyMs })
  return async (sandbox: string): Promise<void> => {
    if (noted.has(sandbox)) return
    noted.set(sandbox, true)
    await execute(pool, sql`update expiring_resources set used_at = now() where id = ${sandbox} and idle is not null`)
  }
}
