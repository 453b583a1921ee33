import { sql } from 'kysely'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import type { Database } from '../../../kit/database/database.ts'
import { auditRow, changeAudited } from '../../adapters/postgres/audit.ts'
import type { LedgerSchema } from '../../adapters/postgres/schema.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { ApiKeys } from '../../domain/ports/tenants.ts'
import type { Caller } from '../../domain/tenant.ts'

// A revoked key stops working within this time; without it every request would ask the database. Guesses must not fill
// the memory.
const memory = { ttlMs: 5_000, capacity: 10_000 }

export function postgresApiKeys(db: Database<LedgerSchema>, tokens: Pick<Tokens, 'fresh' | 'id' | 'digest'>): ApiKeys {
  const lookUp = async (digest: string): Promise<Caller | undefined> => {
    const row = await db
      .selectFrom('api_keys')
      .select(['id', 'tenant'])
      .where('digest', '=', digest)
      .where('revoked_at', 'is', null)
      .executeTakeFirst()
    return row && { keyId: row.id, tenant: row.tenant ?? undefined }
  }
  const callers = ttlCache(lookUp, memory)

  return {
    async create({ name, tenant }, actor) {
      const id = tokens.id('key')
      const key = `cwk_${tokens.fresh()}`
      const subject = { kind: 'api_key' as const, id }
      const entry = auditRow({ action: 'key.created', actor, subject, tenant, facts: { name } })
      await db
        .with('noted', (query) => query.insertInto('audit').values(entry))
        .insertInto('api_keys')
        .values({ id, digest: tokens.digest(key), name, tenant: tenant ?? null, last_four: key.slice(-4) })
        .execute()
      return { id, key: new Secret(key) }
    },
    async list() {
      const rows = await db.selectFrom('api_keys').selectAll().orderBy('id').execute()
      return rows.map((row) => ({
        id: row.id,
        name: row.name,
        tenant: row.tenant ?? undefined,
        lastFour: row.last_four,
        createdAt: row.created_at,
        revokedAt: row.revoked_at ?? undefined,
      }))
    },
    revoke: (id, actor) =>
      changeAudited(db, { action: 'key.revoked', actor, subject: { kind: 'api_key', id } }, async (transaction) => {
        const { numUpdatedRows } = await transaction
          .updateTable('api_keys')
          .set({ revoked_at: sql`now()` })
          .where('id', '=', id)
          .where('revoked_at', 'is', null)
          .executeTakeFirst()
        return numUpdatedRows
      }),
    caller: (key) => callers.get(tokens.digest(key.reveal())),
  }
}
