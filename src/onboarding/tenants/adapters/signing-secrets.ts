import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { execute, row, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { inSeconds } from '../../adapters/postgres/statement-parts.ts'
import { missing } from '../../domain/failure.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'

type SigningSecrets = Pick<Tenants, 'signingSecret' | 'rotateSigningSecret' | 'forgetSigningSecrets'>

/** What a tenant checks results with. One clock decides which secret signs, whichever process asks. */
export function postgresSigningSecrets(pool: pg.Pool, box: SealedBox): SigningSecrets {
  return {
    async signingSecret(id) {
      const found = await row(pool, SigningRow, sql`select ${signing} as sealed from tenants where id = ${id}`)
      if (!found?.sealed) throw missing('tenant')
      return box.open(found.sealed, sealContext.signingSecret(id))
    },
    rotateSigningSecret(id, next, afterSeconds, audit) {
      const sealed = box.seal(next, sealContext.signingSecret(id))
      const secrets =
        afterSeconds === 0
          ? sql`signing_secret = ${sealed}, next_signing_secret = null, next_active_from = null`
          : sql`signing_secret = ${signing}, next_signing_secret = ${sealed},
              next_active_from = ${inSeconds(afterSeconds)}`
      return inTransaction(pool, async (transaction) => {
        const rotated = await row(
          transaction,
          RotatedRow,
          sql`
            update tenants set ${secrets}, updated_at = now() where id = ${id} and status in ('active', 'suspended')
            returning coalesce(next_active_from, now()) as "activeFrom"`,
        )
        if (rotated) await noteAudit(transaction, audit)
        return rotated?.activeFrom
      })
    },
    async forgetSigningSecrets() {
      await execute(
        pool,
        sql`
          update tenants set signing_secret = ${signing}, next_signing_secret = null, next_active_from = null
          where next_active_from <= now()`,
      )
    },
  }
}

const signing = sql`case when next_active_from <= now() then next_signing_secret else signing_secret end`

const SigningRow = z.object({ sealed: z.string().nullable() })
const RotatedRow = z.object({ activeFrom: z.date() })
