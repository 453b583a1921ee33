import { createHash } from 'node:crypto'
import type { Adapter, AdapterPayload } from 'oidc-provider'
import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, maybe, row, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { readableOrLost } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import { AssertionRefused } from '../domain/identity-assertion.ts'
import { ofDeletedFunction } from './function-grants.ts'
import { endAllOfGrant, endReusedGrant } from './grant-lineage.ts'
import { hasSuccessor, rotateRefreshToken } from './refresh-tokens.ts'

export type OidcRecords = ReturnType<typeof postgresOidcRecords>

const Row = z.object({ idHash: z.instanceof(Buffer), envelope: z.string(), consumed: z.number().nullable() })

const Payload = z.record(z.string(), z.unknown())

/** Stores everything the authorization server keeps, so that sessions and tokens survive restarts. */
export function postgresOidcRecords(pool: pg.Pool, box: SealedBox, { graceSeconds }: { graceSeconds: number }) {
  return {
    adapter: (model: string): Adapter => recordsOf(pool, box, model),

    rotate: rotateRefreshToken(pool, box, graceSeconds),

    /** The library would only delete the grant. */
    endReused: (grantId: string, clientId: string) => endReusedGrant(pool, grantName(grantId), clientId),

    findGrant: (name: string) =>
      row(
        pool,
        z.object({ functionId: maybe(z.string()), clientId: maybe(z.string()) }),
        sql`select g.function_id as "functionId", g.client_id as "clientId" from oidc_records left join function_grants g on g.grant_hash = id_hash
          where model = 'Grant' and id_hash = ${Buffer.from(name, 'base64url')} and ${isLive}`,
      ),

    async removeExpired(): Promise<void> {
      await execute(pool, sql`delete from oidc_records where expires_at < now()`)
    },
  }
}

const isLive = sql`(expires_at is null or expires_at > now()) and not ${ofDeletedFunction(sql`id_hash`)}`

/** Identifies a grant in access tokens without its ID. */
export const grantName = (grantId: string): string => createHash('sha256').update(grantId).digest('base64url')

/** An expired device code is kept, so that a client that still polls gets `expired_token` (RFC 8628 §3.5). */
const secondsAfterEnd = (model: string) => (model === 'DeviceCode' ? 3_600 : 0)

/** Already loaded by the caller. */
const providerErrors = async () => (await import('../../../kit/http/oidc-provider.ts')).errors

/** The `jti` of an assertion. The library looks for it first, so parallel requests would all pass. */
async function alreadyUsed(model: string): Promise<Error> {
  if (model === 'IdentityAssertion') return new AssertionRefused('invalid_grant', 'the assertion was already used')
  return new (await providerErrors()).InvalidClientAuth('already used')
}

const hashed = (text: string | undefined) => (text === undefined ? null : createHash('sha256').update(text).digest())

function recordsOf(pool: pg.Pool, box: SealedBox, model: string): Adapter {
  const context = (idHash: Buffer) => sealContext.oidcRecord(model, idHash.toString('hex'))
  const isSingleUse = model === 'ReplayDetection' || model === 'IdentityAssertion'
  // The library revokes the grant of a consumed token. A replaced one counts as unconsumed in its grace period.
  const consumedAt =
    model === 'RefreshToken' ? sql`case when not ${hasSuccessor} then consumed_at end` : sql`consumed_at`
  const findBy = async (column: 'id_hash' | 'uid_hash' | 'user_code_hash', value: string) => {
    const found = await row(
      pool,
      Row,
      sql`select id_hash as "idHash", envelope, extract(epoch from ${consumedAt})::bigint as consumed from oidc_records
        where model = ${model} and ${sql.identifier(column)} = ${hashed(value)}
          and ${isLive}`,
    )
    // A record that does not decrypt counts as missing: the user signs in again.
    return found && readableOrLost(() => read(found))
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
      const written = await execute(
        pool,
        sql`insert into oidc_records (model, id_hash, envelope, grant_hash, uid_hash, user_code_hash, expires_at)
         values (${model}, ${idHash}, ${envelope}, ${hashed(payload.grantId)}, ${hashed(payload.uid)},
           ${hashed(payload.userCode)}, now() + ${keepSeconds}::integer * interval '1 second')
         on conflict (model, id_hash) do update set envelope = excluded.envelope, grant_hash = excluded.grant_hash,
           uid_hash = excluded.uid_hash, user_code_hash = excluded.user_code_hash, expires_at = excluded.expires_at
         ${isSingleUse ? sql`where oidc_records.expires_at < now()` : sql``}`,
      )
      if (written === 0) throw await alreadyUsed(model)
    },
    find: (id) => findBy('id_hash', id),
    findByUid: (uid) => findBy('uid_hash', uid),
    findByUserCode: (code) => findBy('user_code_hash', code),
    // Revoking a grant ends everything created with it. An expired grant ends nothing.
    destroy: (id) =>
      inTransaction(pool, async (client) => {
        await execute(client, sql`delete from oidc_records where model = ${model} and id_hash = ${hashed(id)}`)
        if (model === 'Grant') await endAllOfGrant(client, grantName(id))
      }),
    async revokeByGrantId(grantId) {
      await execute(pool, sql`delete from oidc_records where model = ${model} and grant_hash = ${hashed(grantId)}`)
    },
    // Of two concurrent requests with one code, one fails here.
    async consume(id) {
      const consumed = await execute(
        pool,
        sql`update oidc_records set consumed_at = now()
          where model = ${model} and id_hash = ${hashed(id)} and consumed_at is null`,
      )
      if (consumed === 0) throw new (await providerErrors()).InvalidGrant('already used')
    },
  }
}
