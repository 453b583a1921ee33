import type pg from 'pg'
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, maybe, row, rows, sql } from '../../../kit/database/sql.ts'
import { changeAudited } from '../../adapters/postgres/audit.ts'
import { noted } from '../../adapters/postgres/statement-parts.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { ApiKeys } from '../../domain/ports/tenants.ts'
import { apiKeyPrefix, testKeyPrefix } from '../../domain/tenant.ts'

// A revoked key stops working within this time; without it every request would ask the database. Guesses must not fill
// the memory.
const memory = { ttlMs: 5_000, capacity: 10_000 }

export function postgresApiKeys(pool: pg.Pool, tokens: Pick<Tokens, 'fresh' | 'id' | 'digest'>): ApiKeys {
  const lookUp = (digest: string) =>
    row(
      pool,
      CallerRow,
      sql`
        select id as "keyId", tenant, test_mode as "testMode" from api_keys
        where digest = ${digest} and revoked_at is null`,
    )
  const callers = ttlCache(lookUp, memory)

  return {
    async create({ name, tenant, testMode = false }, actor) {
      const id = tokens.id('key')
      const key = `${testMode ? testKeyPrefix : apiKeyPrefix}${tokens.fresh()}`
      const subject = { kind: 'api_key' as const, id }
      const audit: AuditEntry = {
        action: 'key.created',
        actor,
        subject,
        tenant,
        facts: { name, testMode: testMode || undefined },
      }
      await execute(
        pool,
        sql`
          with made as (
            insert into api_keys (id, digest, name, tenant, test_mode, last_four)
            values (${id}, ${tokens.digest(key)}, ${name}, ${tenant ?? null}, ${testMode}, ${key.slice(-4)})
            returning id
          ), ${noted(audit, 'made')}
          select from made`,
      )
      return { id, key: new Secret(key) }
    },
    list: () => rows(pool, KeyRow, sql`select ${sql.columns(KeyRow)} from api_keys order by id`),
    revoke: (id, actor) =>
      changeAudited(pool, { action: 'key.revoked', actor, subject: { kind: 'api_key', id } }, (transaction) =>
        execute(transaction, sql`update api_keys set revoked_at = now() where id = ${id} and revoked_at is null`),
      ),
    caller: (key) => callers.get(tokens.digest(key.reveal())),
  }
}

const CallerRow = z.object({ keyId: z.string(), tenant: maybe(z.string()), testMode: z.boolean() })

const KeyRow = z.object({
  id: z.string(),
  name: z.string(),
  tenant: maybe(z.string()),
  testMode: z.boolean(),
  lastFour: z.string(),
  createdAt: z.date(),
  revokedAt: maybe(z.date()),
})
