import { z } from 'zod'
import { execute, type Queryable, row, sql } from '../../../kit/database/sql.ts'
import { claimSeconds, type Idempotency, type IdempotencyClaim, secondsUntilLapse } from '../../domain/ports/shared.ts'
import { inSeconds } from './statement-parts.ts'

export function postgresIdempotency(db: Queryable): Idempotency {
  return {
    async begin(id, digest, seed) {
      // A key can be taken over after a day, or when the claim lapsed because its process died or lost the ledger. The
      // same request continues with the same seed.
      const statement = sql`
        with begun as (
          insert into idempotency_keys as known (id, digest, seed) values (${id}, ${digest}, ${seed})
          on conflict (id) do update set digest = excluded.digest, answer = null, begun_at = now(),
            fence = known.fence + 1,
            seed = case when known.digest = excluded.digest and known.begun_at >= now() - interval '1 day'
              then coalesce(known.seed, excluded.seed) else excluded.seed end
          where known.begun_at < now() - interval '1 day'
            or (known.answer is null and known.begun_at < ${inSeconds(-claimSeconds)})
          returning digest, answer, seed, fence
        )
        select true as mine, digest, answer, seed, fence, 0 as "heldSeconds" from begun
        union all
        select false, digest, answer, seed, fence, extract(epoch from now() - begun_at)::float from idempotency_keys
        where id = ${id} and not exists (select from begun)`
      const known = await row(db, BegunRow, statement)
      // Another request inserted the row and has not committed yet.
      if (!known) return { digest, answer: undefined, retryAfterSeconds: 1 }
      if (!known.mine) return { digest: known.digest, ...earlier(known) }
      return { id, fence: known.fence, seed: known.seed ?? seed, isRetry: known.seed !== seed }
    },
    async renew(claim) {
      await execute(db, sql`update idempotency_keys set begun_at = now() where ${isClaimedBy(claim)}`)
    },
    async finish(claim, answer) {
      await execute(db, sql`update idempotency_keys set answer = ${answer}, seed = null where ${isClaimedBy(claim)}`)
    },
    async release(claim) {
      await execute(db, sql`delete from idempotency_keys where ${isClaimedBy(claim)}`)
    },
    async abandon(claim) {
      const lapsed = sql`begun_at - make_interval(secs => ${claimSeconds})`
      await execute(db, sql`update idempotency_keys set begun_at = ${lapsed} where ${isClaimedBy(claim)}`)
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
  heldSeconds: z.number(),
})

const earlier = ({ answer, heldSeconds }: z.output<typeof BegunRow>) =>
  answer === null ? { answer: undefined, retryAfterSeconds: secondsUntilLapse(heldSeconds) } : { answer }

/** The fence of a deleted key starts again, so the seed is compared as well. */
const isClaimedBy = ({ id, fence, seed }: IdempotencyClaim) => sql`id = ${id} and fence = ${fence} and seed = ${seed}`
