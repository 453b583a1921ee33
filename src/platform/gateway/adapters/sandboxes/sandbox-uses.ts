import { setTimeout as pause } from 'node:timers/promises'
import { LRUCache } from 'lru-cache'
import type pg from 'pg'
import { z } from 'zod'
import { execute, row, rows, type Sql, sql } from '../../../../kit/database/sql.ts'
import { noteEveryMs, type SandboxUses } from '../../domain/sandbox/sandbox.ts'

const Used = z.object({ isStopping: z.boolean() })
const Id = z.object({ id: z.string() })

const [stopSeconds, lookMs] = [60, 100]

/** Updates the row only if the sandbox still exists. */
export const usedNow = (sandboxes: Sql): Sql => sql`insert into sandbox_uses (id)
  select id from resources where id in (${sandboxes}) for key share
  on conflict (id) do update set used_at = now()
  returning coalesce(stopping_until > now(), false) as "isStopping"`

/** Without `idleSeconds`, none is idle. */
export function postgresSandboxUses(pool: pg.Pool, idleSeconds: number): SandboxUses {
  const noted = new LRUCache<string, true>({ max: 10_000, ttl: noteEveryMs })
  const before = sql`now() - make_interval(secs => ${idleSeconds})`
  const idle = sql`from resources r left join sandbox_uses u using (id)
    where r.kind = 'sandbox' and r.spec #>> '{runtime,image}' <> '' and greatest(r.updated_at, u.used_at) < ${before}
      and not exists (
        select from sandbox_processes p where p.sandbox = r.id and p.state = 'running' and p.lease_until > now())`
  return {
    async note(sandbox) {
      if (noted.has(sandbox)) return
      while ((await row(pool, Used, usedNow(sql`${sandbox}`)))?.isStopping) await pause(lookMs)
      noted.set(sandbox, true)
    },

    async idle() {
      if (idleSeconds === 0) return []
      return (await rows(pool, Id, sql`select r.id ${idle}`)).map(({ id }) => id)
    },

    async claimStop(sandbox) {
      const claimed = await row(
        pool,
        Id,
        sql`insert into sandbox_uses (id, used_at, stopping_until)
          select r.id, ${before}, now() + make_interval(secs => ${stopSeconds}) ${idle} and r.id = ${sandbox}
          on conflict (id) do update set stopping_until = excluded.stopping_until
            where sandbox_uses.used_at < ${before} and coalesce(sandbox_uses.stopping_until < now(), true)
          returning id`,
      )
      return claimed !== undefined
    },

    async endStop(sandbox) {
      await execute(pool, sql`update sandbox_uses set stopping_until = null where id = ${sandbox}`)
    },
  }
}
