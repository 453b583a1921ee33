import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { stored } from '../../../kit/database/stored.ts'
import type { Idempotency } from '../domain/idempotency.ts'

const contextOf = (id: Buffer) => `idempotency|${id.toString('hex')}`

const Row = z.object({
  mine: z.boolean(),
  bodyHash: z.instanceof(Buffer).nullable(),
  answer: z.string().nullable(),
  overdue: z.boolean().nullable(),
})

/**
 * A key is remembered for a day. A request that did not end within a minute died with its process, or could not keep
 * its answer: what it did is not known here, so nobody takes its key over.
 */
export function postgresIdempotency(pool: pg.Pool, box: SealedBox): Idempotency & { sweep(): Promise<void> } {
  return {
    async claim(id, bodyHash) {
      const { rows } = await pool.query(
        `with mine as (
           insert into idempotent_requests (id, body_hash) values ($1, $2)
           on conflict (id) do update set body_hash = $2, answer = null, begun_at = now()
             where idempotent_requests.begun_at < now() - interval '1 day'
           returning 1)
         select exists (select from mine) as mine, body_hash as "bodyHash", answer,
           begun_at < now() - interval '1 minute' as overdue
         from (select 1) one left join idempotent_requests on id = $1`,
        [id, bodyHash],
      )
      const { mine, bodyHash: known, answer, overdue } = stored(Row, rows[0])
      if (mine) return { status: 'granted' }
      // The row of a racing first request is not visible to this statement yet: it runs, whatever its body is.
      if (known === null) return { status: 'running', bodyHash }
      if (answer === null) return { status: overdue ? 'unfinished' : 'running', bodyHash: known }
      return { status: 'finished', bodyHash: known, answer: box.open(answer, contextOf(id)).reveal() }
    },

    async finish(id, answer) {
      const sealed = box.seal(new Secret(answer), contextOf(id))
      await pool.query('update idempotent_requests set answer = $2 where id = $1', [id, sealed])
    },

    async release(id) {
      await pool.query('delete from idempotent_requests where id = $1 and answer is null', [id])
    },

    async sweep() {
      await pool.query(`delete from idempotent_requests where begun_at < now() - interval '1 day'`)
    },
  }
}
