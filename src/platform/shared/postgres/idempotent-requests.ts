import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, one, sql } from '../../../kit/database/sql.ts'
import type { IdempotencyStore } from '../../../kit/process/run-idempotent.ts'
import { sealContext } from '../domain/seal-context.ts'

const bytes = (hex: string) => Buffer.from(hex, 'hex')

const Row = z.object({
  mine: z.boolean(),
  bodyHash: z.instanceof(Buffer).nullable(),
  answer: z.string().nullable(),
  overdue: z.boolean().nullable(),
})

/** Keys are kept for a day. After a minute without a result the effect is unknown, so the key stays taken. */
export function postgresIdempotency(
  pool: pg.Pool,
  box: SealedBox,
): IdempotencyStore<string> & { sweep(): Promise<void> } {
  return {
    async claim(id, digest) {
      const { mine, bodyHash, answer, overdue } = await one(
        pool,
        Row,
        sql`with mine as (
           insert into idempotent_requests (id, body_hash) values (${bytes(id)}, ${bytes(digest)})
           on conflict (id) do update set body_hash = ${bytes(digest)}, answer = null, begun_at = now()
             where idempotent_requests.begun_at < now() - interval '1 day'
           returning 1)
         select exists (select from mine) as mine, body_hash as "bodyHash", answer,
           begun_at < now() - interval '1 minute' as overdue
         from (select 1) one left join idempotent_requests on id = ${bytes(id)}`,
      )
      if (mine) return { status: 'granted', claim: id }
      // The row of a concurrent first request is not visible yet.
      if (bodyHash === null) return { status: 'running', digest, retryAfterSeconds: 1 }
      const known = { digest: bodyHash.toString('hex') }
      if (answer === null && overdue) return { status: 'unfinished', ...known }
      if (answer === null) return { status: 'running', ...known, retryAfterSeconds: 1 }
      return { status: 'finished', ...known, answer: box.open(answer, sealContext.idempotentAnswer(id)).reveal() }
    },

    async finish(id, answer) {
      const sealed = box.seal(new Secret(answer), sealContext.idempotentAnswer(id))
      await execute(pool, sql`update idempotent_requests set answer = ${sealed} where id = ${bytes(id)}`)
    },

    async release(id) {
      await execute(pool, sql`delete from idempotent_requests where id = ${bytes(id)} and answer is null`)
    },

    async abandon() {
      // The key stays taken: a retry gets `key_outcome_unknown`.
    },

    async sweep() {
      await execute(pool, sql`delete from idempotent_requests where begun_at < now() - interval '1 day'`)
    },
  }
}
