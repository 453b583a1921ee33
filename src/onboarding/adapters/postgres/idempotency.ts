import { type SqlBool, sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { Idempotency, IdempotencyClaim } from '../../domain/ports/shared.ts'
import type { LedgerSchema } from './schema.ts'

export function postgresIdempotency(db: Database<LedgerSchema>): Idempotency {
  return {
    async begin(id, digest, seed) {
      // Taken over when it is a day old, or when whoever began it has died: no request runs for a minute. The same
      // request goes on with the seed of the one that died.
      const { rows } = await sql<BegunRow>`
        with begun as (
          insert into idempotency_keys as known (id, digest, seed) values (${id}, ${digest}, ${seed})
          on conflict (id) do update set digest = excluded.digest, answer = null, begun_at = now(),
            fence = known.fence + 1,
            seed = case when known.digest = excluded.digest and known.begun_at >= now() - interval '1 day'
              then coalesce(known.seed, excluded.seed) else excluded.seed end
          where known.begun_at < now() - interval '1 day'
            or (known.answer is null and known.begun_at < now() - interval '1 minute')
          returning digest, answer, seed, fence
        )
        select true as mine, digest, answer, seed, fence from begun
        union all
        select false, digest, answer, seed, fence from idempotency_keys
        where id = ${id} and not exists (select from begun)`.execute(db)
      const [row] = rows
      // Nothing visible: another request inserted it an instant ago and has not committed a change we can see.
      if (!row) return { digest, answer: undefined }
      if (!row.mine) return { digest: row.digest, answer: row.answer ?? undefined }
      return { id, fence: row.fence, seed: row.seed ?? seed, isRetry: row.seed !== seed }
    },
    async finish(claim, answer) {
      await db.updateTable('idempotency_keys').set({ answer, seed: null }).where(isHeldBy(claim)).execute()
    },
    async forget(claim) {
      await db.deleteFrom('idempotency_keys').where(isHeldBy(claim)).execute()
    },
    async letGo(claim) {
      const longAgo = sql<Date>`begun_at - interval '1 minute'`
      await db.updateTable('idempotency_keys').set({ begun_at: longAgo }).where(isHeldBy(claim)).execute()
    },
    async forgetOld() {
      await db.deleteFrom('idempotency_keys').where(sql<boolean>`begun_at < now() - interval '1 day'`).execute()
    },
  }
}

type BegunRow = { mine: boolean; digest: string; answer: string | null; seed: string | null; fence: number }

/** The fence begins anew once a key was forgotten, and the seed is another one then. */
const isHeldBy = ({ id, fence, seed }: IdempotencyClaim) =>
  sql<SqlBool>`id = ${id} and fence = ${fence} and seed = ${seed}`
