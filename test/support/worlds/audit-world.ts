// A ledger with a sealed audit, and an attacker with SQL.
import { randomBytes } from 'node:crypto'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { execute, sql } from '../../../src/kit/database/sql.ts'
import { inTransaction } from '../../../src/kit/database/transaction.ts'
import { postgresAudit } from '../../../src/onboarding/adapters/postgres/audit.ts'
import { openAuditChain } from '../../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import type { Actor } from '../../../src/onboarding/domain/audit/audit.ts'
import { headJws } from '../../../src/onboarding/domain/audit/audit-chain.ts'
import type { AuditEntry } from '../../../src/onboarding/domain/audit/audit-entry.ts'
import type { SavedHead } from '../../../src/onboarding/domain/audit/verify-chain.ts'
import { sealAudit } from '../../../src/onboarding/flows/seal-audit.ts'
import { verifyChain } from '../../../src/onboarding/flows/verify-audit.ts'
import { createTestDatabase } from '../processes/stores.ts'

export type AuditWorld = Awaited<ReturnType<typeof openAuditWorld>>

export const keyringOf = (name: string) => ({
  primary: name,
  keys: new Map([[name, new Secret(randomBytes(32))]]),
})

const browser: Actor = { kind: 'browser', id: 'b1', name: 'B', address: '203.0.113.7', requestId: 'req_1' }

/** All columns have a value. */
export const fullEntry = (at: number, more: object = {}): AuditEntry =>
  ({
    action: 'connection.disconnected',
    actor: browser,
    subject: { kind: 'connection', id: `con_${at}` },
    facts: { revocation: 'revoked', at },
    tenant: 'acme',
    link: `lnk_${at}`,
    connection: `con_${at}`,
    reason: `ticket ${at}`,
    before: { status: 'active', account: 'user@provider.example' },
    after: { status: 'disconnected', account: 'user@provider.example' },
    ...more,
  }) as unknown as AuditEntry

export async function openAuditWorld(keyring = keyringOf('test')) {
  const url = await createTestDatabase('onboarding')
  const pool = openPool(url)
  const chain = openAuditChain(pool, keyring)
  const audit = postgresAudit(pool)
  const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms))
  const seal = () => sealAudit({ ...chain, pause })

  return {
    url,
    pool,
    keyring,
    ...chain,
    audit,
    seal,
    async add(count: number, more: object = {}) {
      for (let at = 0; at < count; at++) await audit.note(fullEntry(at, more))
    },
    /** As if the database's clock said so. */
    async beginMonth(month: string) {
      while ((await pool.query('select begin_audit_month($1) as made', [`${month}-01`])).rows[0].made);
    },
    verify: (of = 'acme', saved: SavedHead[] = []) => verifyChain(chain.auditChains, { chain: of, saved }),
    async head(of = 'acme'): Promise<SavedHead> {
      const tail = await chain.auditChains.tail(of)
      if (!tail) throw new Error('the chain is empty')
      return { chain: of, position: tail.last, hash: tail.hash.toString('base64url') }
    },
    async jws(of = 'acme') {
      const tail = await chain.auditChains.tail(of)
      return tail && headJws(tail)
    },
    /** As a superuser, whom triggers do not stop. */
    async tamper(...statements: string[]) {
      await pool.query(['begin', 'set local session_replication_role = replica', ...statements, 'commit'].join('; '))
    },
    /** What the last step of an erasure does to the audit. */
    async erase(id: string, where: string) {
      await pool.query(`
        insert into tenants (id, workspace, display_name, return_urls, signing_secret)
          values ('acme', 'acme', 'Acme', '{}', 'sealed') on conflict do nothing;
        insert into erasures (id, tenant, subject, end_user_id, step, actor) values ('${id}', 'acme', '${id}', 'u', 'erasing', '{}')`)
      return inTransaction(pool, async (transaction) => {
        await execute(transaction, sql`select 1`)
        return chain.eraseEntries(
          transaction,
          { id, tenant: 'acme' },
          sql`${sql.literal(1)} = 1 and id in (select id from audit where link = ${where})`,
        )
      })
    },
    close: () => pool.end(),
  }
}
