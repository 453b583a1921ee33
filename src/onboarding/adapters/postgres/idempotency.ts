import { sql } from 'kysely'
import type { Database } from '../../../kit/database/database.ts'
import type { Idempotency } from '../../domain/ports.ts'
import type { LedgerSchema } from './schema.ts'

export function postgresIdempotency(db: Database<LedgerSchema>): Idempotency {
  return {
    async begin(id, digest) {
      // Taken over when it is a day old, or when whoever began it has died: no request runs for a minute.
      const { rows } = await sql<{ mine: boolean; digest: string; answer: string | null }>`
        with begun as (
          insert into idempotency_keys as known (id, digest) values (${id}, ${digest})
          on conflict (id) do update set digest = excluded.digest, answer = null, begun_at = now()
          where known.begun_at < now() - interval '1 day'
            or (known.answer is null and known.begun_at < now() - interval '1 minute')
          returning digest, answer
        )
        select true as mine, digest, answer from begun
        union all
        select false, digest, answer from idempotency_keys where id = ${id} and not exists (select from begun)`.execute(
        db,
      )
      const [row] = rows
      // Nothing visible: another request inserted it an instant ago and has not committed a change we can see.
      if (!row) return { digest, answer: undefined }
      return row.mine ? 'mine' : { digest: row.digest, answer: row.answer ?? undefined }
    },
    async finish(id, answer) {
      await db.updateTable('idempotency_keys').set({ answer }).where('id', '=', id).execute()
    },
    async forget(id) {
      await db.deleteFrom('idempotency_keys').where('id', '=', id).execute()
    },
    async forgetOld() {
      await db.deleteFrom('idempotency_keys').where(sql<boolean>`begun_at < now() - interval '1 day'`).execute()
    },
  }
}
