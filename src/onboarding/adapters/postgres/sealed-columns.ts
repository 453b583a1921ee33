// A test searches a populated database and fails if a column is missing here.
import type { Keyring, SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { postgresSealedRows, type SealedColumn } from '../../../kit/database/sealed-rows.ts'
import { type Queryable, type Sql, sql } from '../../../kit/database/sql.ts'
import type { SealedRows } from '../../../kit/process/rotate-encryption.ts'
import { sealContext } from '../../domain/seal-context.ts'

/** A column must come before those that its values move to, or a moving value keeps its old key. */
export const sealedColumns: readonly SealedColumn[] = [
  {
    table: 'tenants',
    column: 'next_signing_secret',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.signingSecret(id),
  },
  {
    table: 'tenants',
    column: 'signing_secret',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.signingSecret(id),
  },
  {
    table: 'tenant_oauth_clients',
    column: 'client_secret',
    key: ['tenant', 'integration'],
    words: ['tenant', 'integration'],
    context: (tenant: string, integration: string) => sealContext.oauthClient(tenant, integration),
  },
  {
    table: 'registered_clients',
    column: 'client_secret',
    key: ['issuer', 'client_id'],
    words: ['issuer', 'client_id'],
    context: (issuer: string, clientId: string) => sealContext.registeredClient(issuer, clientId),
  },
  {
    table: 'setting_versions',
    column: 'sealed',
    key: ['version'],
    words: ['kind', 'subject', 'version'],
    context: (kind: string, subject: string, version: string) => sealContext.setting({ kind, subject, version }),
  },
  {
    table: 'links',
    column: 'waiting_code',
    key: ['id'],
    words: ['id', 'tenant'],
    context: (id: string, tenant: string) => sealContext.waitingCode({ id, tenant }),
  },
  {
    table: 'import_rows',
    column: 'sealed',
    key: ['import_id', 'key'],
    words: ['link_id', 'tenant', 'workspace'],
    context: (id: string, tenant: string, workspace: string) => sealContext.escrow({ id, tenant, workspace }),
  },
  ...grantColumns('escrow', sql`links on links.id = escrow.link_id`),
  ...grantColumns('stored_grants', sql`links on links.id = stored_grants.link_id`),
  {
    table: 'webhooks',
    column: 'secret',
    key: ['id'],
    words: ['tenant', 'id'],
    context: (tenant: string, id: string) => sealContext.webhookSecret(tenant, id),
  },
  {
    table: 'earlier_webhook_secrets',
    column: 'secret',
    key: ['id'],
    words: ['webhooks.tenant', 'webhooks.id'],
    join: sql`webhooks on webhooks.id = earlier_webhook_secrets.webhook`,
    context: (tenant: string, id: string) => sealContext.webhookSecret(tenant, id),
  },
  {
    table: 'idempotency_keys',
    column: 'answer',
    key: ['id'],
    words: ['id'],
    context: (id: string) => sealContext.idempotentAnswer(id),
  },
]

export const sealedLedger = (db: Queryable, box: SealedBox, { primary }: Keyring): SealedRows =>
  postgresSealedRows(db, { program: 'onboarding', columns: sealedColumns, box, primaryKey: primary })

function grantColumns(table: string, join: Sql): SealedColumn[] {
  const row = { table, key: ['link_id'], words: ['links.id', 'links.tenant', 'links.workspace'], join }
  return [
    {
      ...row,
      column: 'sealed',
      context: (id: string, tenant: string, workspace: string) => sealContext.escrow({ id, tenant, workspace }),
    },
    {
      ...row,
      column: 'trial_refresh',
      context: (id: string, tenant: string, workspace: string) => sealContext.trialRefresh({ id, tenant, workspace }),
    },
  ]
}
