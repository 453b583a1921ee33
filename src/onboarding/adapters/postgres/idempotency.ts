import { z } from 'zod'
import { execute, type Queryable, row, sql } from '../../../kit/database/sql.ts'
import type { Idempotency, IdempotencyClaim } from '../../domain/ports/shared.ts'

export function postgresIdempotency(db: Queryable): Idempotency {
  return {
    async begin(id, digest, seed) {
      // Taken over when it is a day old, or when whoever began it has died: no request runs for a minute. The same
      // request goes on with the seed of the one that died.
      const statement = sql`
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
        where id = ${id} and not exists (select from begun)`
      const known = await row(db, BegunRow, statement)
      // Nothing visible: another request inserted it an instant ago and has not committed a change we can see.
      if (!known) return { digest, answer: undefined }
      if (!known.mine) return { digest: known.digest, answer: known.answer ?? undefined }
      return { id, fence: known.fence, seed: known.seed ?? seed, isRetry: known.seed !== seed }
    },
    async finish(claim, answer) {
      await execute(db, sql`update idempotency_keys set answer = ${answer}, seed = null where ${isClaimedBy(claim)}`)
    },
    async release(claim) {
      await execute(db, sql`delete from idempotency_keys where ${isClaimedBy(claim)}`)
    },
    async abandon(claim) {
      const longAgo = sql`begun_at - interval '1 minute'`
      await execute(db, sql`update idempotency_keys set begun_at = ${longAgo} where ${isClaimedBy(claim)}`)
    },
    async forgetOld() {
      await execute(db, sql`delete from idempotency_keys where begun_at < now() - interval '1 day'`)
    },
  }
}

const BegunRow = z.object({
  mine: z.boolean(),
  digest: z.string(),
  answer: z.string().nullable(),
  seed: z.string().nullable(),
  fence: z.number(),
})

/** The fence begins anew once a key was forgotten, and the seed is another one then. */
const isClaimedBy = ({ id, fence, seed }: IdempotencyClaim) => sql`id = ${id} and fence = ${fence} and seed = ${seed}`
