import type pg from 'pg'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { Idempotency } from '../domain/idempotency.ts'

const contextOf = (id: Buffer) => `idempotency|${id.toString('hex')}`

/** A key is remembered for a day; a request that did not end within a minute died with its process. */
export function postgresIdempotency(pool: pg.Pool, box: SealedBox): Idempotency & { sweep(): Promise<void> } {
  return {
    async begin(id, bodyHash) {
      const { rows } = await pool.query(
        `with mine as (
           insert into idempotent_requests (id, body_hash) values ($1, $2)
           on conflict (id) do update set body_hash = $2, answer = null, begun_at = now()
             where idempotent_requests.begun_at < now() - interval '1 day'
                or (idempotent_requests.answer is null and idempotent_requests.begun_at < now() - interval '1 minute')
           returning 1)
         select body_hash, answer, exists (select from mine) as mine from (select 1) one
         left join idempotent_requests on id = $1`,
        [id, bodyHash],
      )
      const [{ mine, body_hash: known, answer }] = rows
      if (mine) return undefined
      // The row of a racing first request is not visible to this statement yet: it runs, whatever it holds.
      if (known === null) return { bodyHash, answer: undefined }
      return { bodyHash: known, answer: answer === null ? undefined : box.open(answer, contextOf(id)).reveal() }
    },

    async finish(id, answer) {
      const sealed = box.seal(new Secret(answer), contextOf(id))
      await pool.query('update idempotent_requests set answer = $2 where id = $1', [id, sealed])
    },

    async forget(id) {
      await pool.query('delete from idempotent_requests where id = $1 and answer is null', [id])
    },

    async sweep() {
      await pool.query(`delete from idempotent_requests where begun_at < now() - interval '1 day'`)
    },
  }
}
