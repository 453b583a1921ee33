import { exportJWK, generateKeyPair } from 'jose'
import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, rows, type Sql, sql } from '../../../kit/database/sql.ts'
import { stored } from '../../../kit/database/stored.ts'
import { readableOrLost, SealedUnreadable } from '../../shared/domain/failure.ts'
import { sealContext } from '../../shared/domain/seal-context.ts'
import type { SigningKeys } from '../domain/ports.ts'
import { signingAlgorithm } from '../domain/signing-key.ts'

const Row = z.object({ kid: z.string(), envelope: z.string(), createdAt: z.date() })
const Jwk = z.record(z.string(), z.unknown())

export function postgresSigningKeys(pool: pg.Pool, box: SealedBox): SigningKeys {
  const add = async (kid: string, condition: Sql) => {
    const { privateKey } = await generateKeyPair(signingAlgorithm, { extractable: true })
    const jwk = { ...(await exportJWK(privateKey)), kid, alg: signingAlgorithm, use: 'sig' }
    const envelope = box.seal(new Secret(JSON.stringify(jwk)), sealContext.signingKey(kid))
    await execute(
      pool,
      sql`insert into signing_keys (kid, envelope, created_at)
        select ${kid}, ${envelope}, clock_timestamp() where ${condition}`,
    )
  }
  return {
    async list() {
      const keys = await rows(
        pool,
        Row,
        sql`select ${sql.columns(Row)} from signing_keys order by created_at desc, kid`,
      )
      const readable = keys.flatMap(({ kid, envelope, createdAt }) => {
        const jwk = readableOrLost(() => open(box, kid, envelope))
        return jwk ? [{ kid, createdAt, jwk }] : []
      })
      // A lost key only ends its own tokens. If all are lost, creating a new one would silently end all tokens.
      if (readable.length === 0 && keys.length > 0) throw new SealedUnreadable(false)
      return readable
    },

    add: (kid) => add(kid, sql`true`),

    /** For the first start. Processes that start together may add several keys. */
    addFirst: (kid) => add(kid, sql`not exists (select from signing_keys)`),

    async remove(kids) {
      await execute(pool, sql`delete from signing_keys where kid = any(${kids}::text[])`)
    },
  }
}

const open = (box: SealedBox, kid: string, envelope: string): Secret<Record<string, unknown>> =>
  new Secret(stored(Jwk, JSON.parse(box.open(envelope, sealContext.signingKey(kid)).reveal())))
