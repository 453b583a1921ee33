import type pg from 'pg'
import { z } from 'zod'
import { ttlCache } from '../../../kit/cache/ttl-cache.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { execute, maybe, row, sql } from '../../../kit/database/sql.ts'
import { inTransaction } from '../../../kit/database/transaction.ts'
import { noteAudit } from '../../adapters/postgres/audit.ts'
import { newestPage } from '../../adapters/postgres/page-of.ts'
import { matching, noted } from '../../adapters/postgres/statement-parts.ts'
import { keyPurposes } from '../../domain/api-key.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import type { AuditEntry } from '../../domain/audit/audit-entry.ts'
import type { Tokens } from '../../domain/ports/shared.ts'
import type { ApiKeys } from '../../domain/ports/tenants.ts'
import { apiKeyPrefix, testKeyPrefix } from '../../domain/tenant.ts'

// A revoked key stops working within this TTL. The capacity bounds the memory that guessed keys can take.
const memory = { ttlMs: 5_000, capacity: 10_000 }

export function postgresApiKeys(pool: pg.Pool, tokens: Pick<Tokens, 'fresh' | 'id' | 'digest'>): ApiKeys {
  const lookUp = (digest: string) =>
    row(
      pool,
      CallerRow,
      sql`
        select id as "keyId", tenant, test_mode as "testMode", purpose from api_keys
        where digest = ${digest} and revoked_at is null and (expires_at is null or expires_at > now())`,
    )
  const callers = ttlCache(lookUp, memory)
  const uses = keyUses(pool)

  return {
    async create({ name, tenant, testMode = false, purpose, expiresAt }, actor, reason) {
      const id = tokens.id('key')
      const key = `${testMode ? testKeyPrefix : apiKeyPrefix}${tokens.fresh()}`
      const subject = { kind: 'api_key' as const, id }
      const audit: AuditEntry = {
        action: 'key.created',
        actor,
        subject,
        tenant,
        reason,
        facts: { name, testMode: testMode || undefined, purpose, expiresAt: expiresAt?.toISOString() },
      }
      await execute(
        pool,
        sql`
          with made as (
            insert into api_keys (id, digest, name, tenant, test_mode, purpose, last_four, expires_at)
            values (${id}, ${tokens.digest(key)}, ${name}, ${tenant ?? null}, ${testMode}, ${purpose ?? null},
              ${key.slice(-4)}, ${expiresAt ?? null})
            returning id
          ), ${noted(audit, 'made')}
          select from made`,
      )
      return { id, key: new Secret(key) }
    },
    find: (id) => row(pool, KeyRow, sql`select ${sql.columns(KeyRow)} from api_keys where id = ${id}`),
    list: ({ tenant, ...page }) =>
      newestPage(pool, KeyRow, sql`select ${sql.columns(KeyRow)} from api_keys where ${matching({ tenant })}`, page),
    revoke: (id, actor, reason) => revokeKey(pool, id, actor, reason),
    async caller(key) {
      const caller = await callers.get(tokens.digest(key.reveal()))
      if (caller) uses.remember(caller.keyId)
      return caller
    },
    recordUses: uses.record,
  }
}

/** The audit entry names the key's tenant, so it appears in that tenant's audit log. */
const revokeKey = (pool: pg.Pool, id: string, actor: Actor, reason: string | undefined): Promise<boolean> =>
  inTransaction(pool, async (transaction) => {
    const revoked = await row(
      transaction,
      RevokedRow,
      sql`update api_keys set revoked_at = now() where id = ${id} and revoked_at is null returning tenant`,
    )
    if (!revoked) return false
    const subject = { kind: 'api_key' as const, id }
    await noteAudit(transaction, { action: 'key.revoked', actor, subject, tenant: revoked.tenant, reason })
    return true
  })

/**
 * Collects last-used times in memory and writes them with one statement per minute. Times that a killed process has not
 * written are lost.
 */
function keyUses(pool: pg.Pool) {
  let unwritten = new Map<string, number>()
  return {
    remember(keyId: string): void {
      unwritten.set(keyId, Date.now())
    },
    async record(): Promise<void> {
      if (unwritten.size === 0) return
      const uses = unwritten
      unwritten = new Map()
      try {
        await execute(pool, statement([...uses]))
      } catch (error) {
        unwritten = new Map([...uses, ...unwritten])
        throw error
      }
    },
  }
}

/** Locks in ID order, so that two processes writing the same keys cannot deadlock. */
function statement(uses: Array<[string, number]>) {
  const ids = uses.map(([id]) => id)
  const times = uses.map(([, ms]) => new Date(ms).toISOString())
  return sql`
    update api_keys set last_used_at = greatest(last_used_at, used.at)
    from (
      select api_keys.id, seen.at
      from unnest(${ids}::text[], ${times}::timestamptz[]) as seen (id, at) join api_keys on api_keys.id = seen.id
      order by api_keys.id for update of api_keys
    ) as used
    where api_keys.id = used.id`
}

const Purpose = maybe(z.enum(keyPurposes))

const RevokedRow = z.object({ tenant: maybe(z.string()) })

const CallerRow = z.object({ keyId: z.string(), tenant: maybe(z.string()), testMode: z.boolean(), purpose: Purpose })

const KeyRow = z.object({
  id: z.string(),
  name: z.string(),
  tenant: maybe(z.string()),
  testMode: z.boolean(),
  purpose: Purpose,
  lastFour: z.string(),
  createdAt: z.date(),
  expiresAt: maybe(z.date()),
  lastUsedAt: maybe(z.date()),
  revokedAt: maybe(z.date()),
})
