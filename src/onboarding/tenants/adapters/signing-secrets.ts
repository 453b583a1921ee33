import { sql } from 'kysely'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Database } from '../../../kit/database/database.ts'
import { auditRow } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import { inSeconds } from '../../adapters/postgres/statement-parts.ts'
import { missing } from '../../domain/failure.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import { sealContext } from '../../domain/seal-context.ts'

type SigningSecrets = Pick<Tenants, 'signingSecret' | 'rotateSigningSecret' | 'forgetSigningSecrets'>

/** What a tenant checks results with. One clock decides which secret signs, whichever process asks. */
export function postgresSigningSecrets(db: Database<LedgerSchema>, box: SealedBox): SigningSecrets {
  return {
    async signingSecret(id) {
      const row = await db.selectFrom('tenants').select(signing.as('sealed')).where('id', '=', id).executeTakeFirst()
      if (!row?.sealed) throw missing('tenant')
      return box.open(row.sealed, sealContext.signingSecret(id))
    },
    async rotateSigningSecret(id, next, afterSeconds, audit) {
      const sealed = box.seal(next, sealContext.signingSecret(id))
      const atOnce = afterSeconds === 0
      return db.transaction().execute(async (transaction) => {
        const row = await transaction
          .updateTable('tenants')
          .set({
            signing_secret: atOnce ? sealed : signing,
            next_signing_secret: atOnce ? null : sealed,
            next_active_from: atOnce ? null : inSeconds(afterSeconds),
            updated_at: sql`now()`,
          })
          .where('id', '=', id)
          .where('status', '=', 'active')
          .returning(sql<Date>`coalesce(next_active_from, now())`.as('active_from'))
          .executeTakeFirst()
        if (row) await transaction.insertInto('audit').values(auditRow(audit)).execute()
        return row?.active_from
      })
    },
    async forgetSigningSecrets() {
      await db
        .updateTable('tenants')
        .set({ signing_secret: signing, next_signing_secret: null, next_active_from: null })
        .where(sql<boolean>`next_active_from <= now()`)
        .execute()
    },
  }
}

const signing = sql<string | null>`case when next_active_from <= now() then next_signing_secret else signing_secret end`
