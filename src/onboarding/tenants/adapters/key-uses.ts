import type pg from 'pg'
import { execute, sql } from '../../../kit/database/sql.ts'

/**
 * When keys were last used. A request only leaves a time in memory; one statement a minute writes them all, so a key
 * costs one write a minute however much it is used. What a process that is killed had not written is lost.
 */
export function keyUses(pool: pg.Pool) {
  let unwritten = new Map<string, number>()
  return {
    remember(keyId: string): void {
      unwritten.set(keyId, Date.now())
    },
    async record(): Promise<void> {
      if (unwritten.size === 0) return
      const uses = unwritten
      unwritten = new Map()
      try {
        await execute(pool, statement([...uses]))
      } catch (error) {
        unwritten = new Map([...uses, ...unwritten])
        throw error
      }
    },
  }
}

/** In the order of their ids, so that two processes that write the same keys never wait for each other in a circle. */
function statement(uses: Array<[string, number]>) {
  const ids = uses.map(([id]) => id)
  const times = uses.map(([, ms]) => new Date(ms).toISOString())
  return sql`
    update api_keys set last_used_at = greatest(last_used_at, used.at)
    from (
      select api_keys.id, seen.at
      from unnest(${ids}::text[], ${times}::timestamptz[]) as seen (id, at) join api_keys on api_keys.id = seen.id
      order by api_keys.id for update of api_keys
    ) as used
    where api_keys.id = used.id`
}
