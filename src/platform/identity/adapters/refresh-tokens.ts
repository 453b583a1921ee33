// Clients send one refresh token in parallel, from several processes, and repeat requests whose response was lost.
import { createHash, randomBytes } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, type Queryable, row, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import { readableOrLost } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import { refreshTokenSeconds, successorOf } from '../domain/refresh-token.ts'

const Payload = z.record(z.string(), z.unknown())
const Row = z.object({ envelope: z.string(), replaced: z.boolean() })

/** The record of a replaced token has this model, the hash of that token and its grant, and ends with the grace period. */
const model = 'RefreshSuccessor'

/** A predicate for rows of `oidc_records`. */
export const hasSuccessor = sql`exists (select from oidc_records s
  where s.model = 'RefreshSuccessor' and s.id_hash = oidc_records.id_hash and s.expires_at > now())`

/** Returns undefined for a token that was replaced before the grace period, and for an unknown one. */
export const rotateRefreshToken =
  (pool: pg.Pool, box: SealedBox, graceSeconds: number) =>
  async (token: string): Promise<string | undefined> => {
    const hash = hashOf(token)
    const found = await row(
      pool,
      Row,
      sql`select envelope, consumed_at is not null as replaced from oidc_records
        where model = 'RefreshToken' and id_hash = ${hash}`,
    )
    if (!found) return undefined
    const successor = randomBytes(32).toString('base64url')
    const isFirst = !found.replaced && (await replace(pool, box, { hash, successor, graceSeconds, ...found }))
    return isFirst ? successor : successorWithinGrace(pool, box, hash)
  }

type Replacement = { hash: Buffer; envelope: string; successor: string; graceSeconds: number }

/** One statement, so that no crash leaves a replaced token without its successor. Of parallel ones, one returns true. */
async function replace(db: Queryable, box: SealedBox, replacement: Replacement): Promise<boolean> {
  const { hash, envelope, successor, graceSeconds } = replacement
  const payload = readableOrLost(() => box.open(envelope, context('RefreshToken', hash)))
  if (!payload) return false
  const record = successorOf(stored(Payload, JSON.parse(payload.reveal())), successor, Math.floor(Date.now() / 1000))
  const sealed = (of: string, id: Buffer, text: string) => box.seal(new Secret(text), context(of, id))
  const next = hashOf(successor)
  const done = await execute(
    db,
    sql`with replaced as (update oidc_records set consumed_at = now()
        where model = 'RefreshToken' and id_hash = ${hash} and consumed_at is null returning grant_hash),
      added as (insert into oidc_records (model, id_hash, envelope, grant_hash, expires_at)
        select 'RefreshToken', ${next}, ${sealed('RefreshToken', next, JSON.stringify(record))}, grant_hash,
          now() + ${refreshTokenSeconds}::integer * interval '1 second' from replaced),
      linked as (insert into oidc_records (model, id_hash, envelope, grant_hash, expires_at)
        select ${model}, ${hash}, ${sealed(model, hash, successor)}, grant_hash,
          now() + ${graceSeconds}::integer * interval '1 second' from replaced)
      select from replaced`,
  )
  return done > 0
}

async function successorWithinGrace(db: Queryable, box: SealedBox, hash: Buffer): Promise<string | undefined> {
  const found = await row(
    db,
    Row.pick({ envelope: true }),
    sql`select envelope from oidc_records where model = ${model} and id_hash = ${hash} and expires_at > now()`,
  )
  return found && readableOrLost(() => box.open(found.envelope, context(model, hash)))?.reveal()
}

const hashOf = (text: string) => createHash('sha256').update(text).digest()

const context = (of: string, id: Buffer) => sealContext.oidcRecord(of, id.toString('hex'))
