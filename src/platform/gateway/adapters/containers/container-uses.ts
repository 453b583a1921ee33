import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { z } from 'zod'
import { execute, row, rows, sql } from '../../../../kit/database/sql.ts'
import type { ContainerUses } from '../../domain/sandbox/container-uses.ts'
import { noteEveryMs } from '../../domain/sandbox/sandbox.ts'

const Used = z.object({ isStopping: z.boolean(), isRunning: z.boolean() })
const Id = z.object({ id: z.string() })
const Known = Id.extend({ isRunning: z.boolean(), isIdle: z.boolean() })

const [stopSeconds, lookMs] = [60, 100]

/** Without `idleSeconds`, no container is idle. */
export function postgresContainerUses(pool: pg.Pool, idleSeconds: number): ContainerUses {
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: noteEveryMs })
  const before = sql`now() - make_interval(secs => ${idleSeconds})`
  return {
    isNoted: (id) => noted.has(id),
    doubt: (id) => void noted.delete(id),

    async note(id, resource) {
      for (;;) {
        const used = await row(
          pool,
          Used,
          sql`insert into container_uses (id, resource_id)
            select ${id}, id from resources where id = ${resource} for key share
            on conflict (id) do update set used_at = now()
            returning coalesce(stopping_until > now(), false) as "isStopping", is_running as "isRunning"`,
        )
        if (used?.isStopping) {
          await pause(lookMs)
          continue
        }
        if (used?.isRunning) noted.set(id, true)
        return used?.isRunning ?? false
      }
    },

    async started(id) {
      await execute(pool, sql`update container_uses set is_running = true, used_at = now() where id = ${id}`)
      noted.set(id, true)
    },

    known: () =>
      rows(
        pool,
        Known,
        sql`select id, is_running as "isRunning", (${idleSeconds > 0} and used_at < ${before}) as "isIdle"
          from container_uses`,
      ),

    /** A no-op if a use has started the container. */
    async adopt(id, resource) {
      await execute(
        pool,
        sql`insert into container_uses (id, resource_id)
          select ${id}, id from resources where id = ${resource} for key share on conflict (id) do nothing`,
      )
    },

    async claimStop(id) {
      const claimed = await row(
        pool,
        Id,
        sql`update container_uses set stopping_until = now() + make_interval(secs => ${stopSeconds}), is_running = false
          where id = ${id} and used_at < ${before} and coalesce(stopping_until < now(), true) returning id`,
      )
      return claimed !== undefined
    },

    async endStop(id) {
      await execute(pool, sql`update container_uses set stopping_until = null where id = ${id}`)
    },

    async forget(id) {
      await execute(pool, sql`delete from container_uses where id = ${id}`)
    },
  }
}
