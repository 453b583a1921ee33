// Every column that holds a sealed value, as data: a rotation of keys goes through this list. A test looks through a
// populated database for sealed values and fails when one stands in a column that is not named here.
import type { SealedColumn } from '../../../kit/database/sealed-rows.ts'
import { sql } from '../../../kit/database/sql.ts'
import { sealContext } from '../../domain/seal-context.ts'

/**
 * An envelope that moves as it is from one column to another is met in the first one or in the second, whenever it
 * moves: where it comes from stands before where it goes to. The other way round it slips through under the old key.
 */
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
    key: ['integration', 'issuer'],
    words: ['integration', 'issuer'],
    context: (integration: string, issuer: string) => sealContext.registeredClient(integration, issuer),
  },
  {
    table: 'links',
    column: 'waiting_code',
    key: ['id'],
    words: ['id', 'tenant'],
    context: (id: string, tenant: string) => sealContext.waitingCode({ id, tenant }),
  },
  {
    table: 'escrow',
    column: 'sealed',
    key: ['link_id'],
    words: ['links.id', 'links.tenant', 'links.workspace'],
    join: sql`links on links.id = escrow.link_id`,
    context: (id: string, tenant: string, workspace: string) => sealContext.escrow({ id, tenant, workspace }),
  },
  {
    table: 'escrow',
    column: 'trial_refresh',
    key: ['link_id'],
    words: ['links.id', 'links.tenant', 'links.workspace'],
    join: sql`links on links.id = escrow.link_id`,
    context: (id: string, tenant: string, workspace: string) => sealContext.trialRefresh({ id, tenant, workspace }),
  },
  // A grant that is kept was sealed for the escrow of the link that brought it, and moved here as it was.
  {
    table: 'stored_grants',
    column: 'sealed',
    key: ['link_id'],
    words: ['links.id', 'links.tenant', 'links.workspace'],
    join: sql`links on links.id = stored_grants.link_id`,
    context: (id: string, tenant: string, workspace: string) => sealContext.escrow({ id, tenant, workspace }),
  },
  {
    table: 'stored_grants',
    column: 'trial_refresh',
    key: ['link_id'],
    words: ['links.id', 'links.tenant', 'links.workspace'],
    join: sql`links on links.id = stored_grants.link_id`,
    context: (id: string, tenant: string, workspace: string) => sealContext.trialRefresh({ id, tenant, workspace }),
  },
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
