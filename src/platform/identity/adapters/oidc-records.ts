import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { stored } from '../../../kit/database/stored.ts'

export type OidcRecords = ReturnType<typeof postgresOidcRecords>

const Row = z.object({ idHash: z.instanceof(Buffer), envelope: z.string(), consumed: z.number().nullable() })

/** Its members are the library's own. */
const Payload = z.record(z.string(), z.unknown())

/** Everything the authorization server keeps, so that a restart ends nobody's session and no token. */
export function postgresOidcRecords(pool: pg.Pool, box: SealedBox) {
  return {
    adapter: (model: string): Adapter => recordsOf(pool, box, model),

    async removeExpired(): Promise<void> {
      await pool.query('delete from oidc_records where expires_at < now()')
    },
  }
}

/** An app may ask for its token for a while after its device code has ended, and is told that it has (RFC 8628, section 3.5). */
const secondsAfterEnd = (model: string) => (model === 'DeviceCode' ? 3_600 : 0)

const hashed = (text: string | undefined) => (text === undefined ? null : createHash('sha256').update(text).digest())

function recordsOf(pool: pg.Pool, box: SealedBox, model: string): Adapter {
  const context = (idHash: Buffer) => `oidc|${model}|${idHash.toString('hex')}`
  const findBy = async (column: 'id_hash' | 'uid_hash' | 'user_code_hash', value: string) => {
    const { rows } = await pool.query(
      `select id_hash as "idHash", envelope, extract(epoch from consumed_at)::bigint as consumed from oidc_records
       where model = $1 and ${column} = $2 and (expires_at is null or expires_at > now())`,
      [model, hashed(value)],
    )
    return rows[0] && read(stored(Row, rows[0]))
  }
  const read = ({ idHash, envelope, consumed }: z.infer<typeof Row>): AdapterPayload => ({
    ...stored(Payload, JSON.parse(box.open(envelope, context(idHash)).reveal())),
    ...(consumed !== null && { consumed }),
  })
  return {
    async upsert(id, payload, expiresIn) {
      const idHash = hashed(id) as Buffer
      const keepSeconds = expiresIn === undefined ? null : expiresIn + secondsAfterEnd(model)
      const envelope = box.seal(new Secret(JSON.stringify(payload)), context(idHash))
      await pool.query(
        `insert into oidc_records (model, id_hash, envelope, grant_hash, uid_hash, user_code_hash, expires_at)
         values ($1, $2, $3, $4, $5, $6, now() + $7::integer * interval '1 second')
         on conflict (model, id_hash) do update set envelope = excluded.envelope, grant_hash = excluded.grant_hash,
           uid_hash = excluded.uid_hash, user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at`,
        [model, idHash, envelope, ...[payload.grantId, payload.uid, payload.userCode].map(hashed), keepSeconds],
      )
    },
    find: (id) => findBy('id_hash', id),
    findByUid: (uid) => findBy('uid_hash', uid),
    findByUserCode: (code) => findBy('user_code_hash', code),
    async destroy(id) {
      await pool.query('delete from oidc_records where model = $1 and id_hash = $2', [model, hashed(id)])
    },
    async revokeByGrantId(grantId) {
      await pool.query('delete from oidc_records where model = $1 and grant_hash = $2', [model, hashed(grantId)])
    },
    // The server looks first and consumes later; two requests with one code meet here, and one of them loses.
    async consume(id) {
      const { rowCount } = await pool.query(
        'update oidc_records set consumed_at = now() where model = $1 and id_hash = $2 and consumed_at is null',
        [model, hashed(id)],
      )
      if (rowCount === 0) {
        const { errors } = await import('../../../kit/http/oidc-provider.ts') // loaded by then: it is who asks
        throw new errors.InvalidGrant('already used')
      }
    },
  }
}
