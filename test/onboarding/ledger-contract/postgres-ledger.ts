import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import { sealedBox } from '../../../src/kit/crypto/sealed-box.ts'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { openPool } from '../../../src/kit/database/pool.ts'
import { preparedStatements } from '../../../src/kit/database/prepared.ts'
import { keyedTokens } from '../../../src/onboarding/adapters/crypto/tokens.ts'
import { postgresAudit } from '../../../src/onboarding/adapters/postgres/audit.ts'
import { openAuditChain } from '../../../src/onboarding/adapters/postgres/audit-chain/audit-chain.ts'
import { postgresIdempotency } from '../../../src/onboarding/adapters/postgres/idempotency.ts'
import { postgresCampaigns } from '../../../src/onboarding/campaigns/adapters/campaigns.ts'
import { postgresConnectionTasks } from '../../../src/onboarding/connections/adapters/connection-tasks.ts'
import { postgresHealthChecks } from '../../../src/onboarding/connections/adapters/health-checks.ts'
import { postgresKnownToolLists } from '../../../src/onboarding/connections/adapters/known-tool-lists.ts'
import { postgresManageSessions } from '../../../src/onboarding/connections/adapters/manage-sessions.ts'
import { postgresImports } from '../../../src/onboarding/imports/adapters/imports.ts'
import { postgresConnectSessions } from '../../../src/onboarding/linking/adapters/connect-sessions.ts'
import { rememberedSessions } from '../../../src/onboarding/linking/adapters/remembered-sessions.ts'
import { postgresErasures } from '../../../src/onboarding/offboarding/adapters/erasures.ts'
import { postgresTenantDeletions } from '../../../src/onboarding/offboarding/adapters/tenant-deletions.ts'
import { postgresConnections } from '../../../src/onboarding/provisioning/adapters/postgres/connections.ts'
import { callsOfLinks } from '../../../src/onboarding/provisioning/adapters/postgres/link-calls.ts'
import { postgresLinks } from '../../../src/onboarding/provisioning/adapters/postgres/links.ts'
import { postgresRegisteredClients } from '../../../src/onboarding/provisioning/adapters/postgres/registered-clients.ts'
import { postgresStoredGrants } from '../../../src/onboarding/provisioning/adapters/postgres/stored-grants.ts'
import { postgresApiKeys } from '../../../src/onboarding/tenants/adapters/api-keys.ts'
import { postgresTenants } from '../../../src/onboarding/tenants/adapters/tenants.ts'
import { postgresEventLog } from '../../../src/onboarding/webhooks/adapters/event-log.ts'
import { postgresDeliveries } from '../../../src/onboarding/webhooks/adapters/webhook-deliveries.ts'
import { postgresWebhooks } from '../../../src/onboarding/webhooks/adapters/webhooks.ts'
import { builders } from '../../support/memory/builders.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'
import type { Ledger, NotedAction } from './ledger.ts'

export type PostgresLedger = Ledger & { pool: pg.Pool; clear(): Promise<void>; close(): Promise<void> }

export async function postgresLedger(): Promise<PostgresLedger> {
  const pool = openPool(await createTestDatabase('onboarding'))
  const tokens = keyedTokens(new Secret(randomBytes(32)))
  const keyring = { primary: 'test', keys: new Map([['test', new Secret(randomBytes(32))]]) }
  const box = sealedBox(keyring)
  const run = preparedStatements(pool)
  const links = postgresLinks(pool, run)
  const ports = {
    tokens,
    audit: postgresAudit(pool),
    tenants: postgresTenants(pool, box, tokens),
    deletions: postgresTenantDeletions(pool),
    erasures: postgresErasures(pool, openAuditChain(pool, keyring).eraseEntries),
    registeredClients: postgresRegisteredClients(pool, box),
    apiKeys: postgresApiKeys(pool, tokens),
    sessions: rememberedSessions(postgresConnectSessions(pool, run), () => new Date()),
    manageSessions: postgresManageSessions(pool),
    links,
    secrets: links,
    connections: postgresConnections(pool, run),
    storedGrants: postgresStoredGrants(pool),
    healthChecks: postgresHealthChecks(pool),
    knownToolLists: postgresKnownToolLists(pool),
    tasks: postgresConnectionTasks(pool),
    webhooks: postgresWebhooks(pool),
    deliveries: postgresDeliveries(pool),
    eventLog: postgresEventLog(pool),
    imports: postgresImports(pool),
    campaigns: postgresCampaigns(pool),
    idempotency: postgresIdempotency(pool),
  }
  /** Ignores foreign keys and append-only rules. */
  const rewrite = async (statements: string[]) => {
    await pool.query(['begin', 'set local session_replication_role = replica', ...statements, 'commit'].join('; '))
  }
  const { rows: timed } = await pool.query<{ name: string; columns: string[] }>(timedTables)
  return {
    pool,
    ...ports,
    ...builders(ports),
    // The database clock cannot be moved, so all timestamps are shifted back.
    pass: (seconds) =>
      rewrite(
        timed.filter(({ columns }) => columns.length > 0).map(({ name, columns }) => madeOlder(name, columns, seconds)),
      ),
    async noted() {
      const { rows } = await pool.query(
        'select action, tenant, link, connection, facts, before, after from audit order by id',
      )
      const given = (row: object) => Object.entries(row).map(([name, value]) => [name, value ?? undefined])
      return rows.map((row) => Object.fromEntries(given(row)) as NotedAction)
    },
    async events() {
      const { rows } = await pool.query('select id, tenant, event as name from outbox order by id')
      return rows
    },
    callsOf: async (linkId) => (await callsOfLinks(pool, [linkId])).get(linkId) ?? [],
    clear: () => rewrite(timed.map(({ name }) => `delete from ${name}`)),
    close: () => pool.end(),
  }
}

const madeOlder = (table: string, columns: string[], seconds: number) =>
  `update ${table} set ${columns.map((name) => `${name} = ${name} - make_interval(secs => ${seconds})`).join(', ')}`

const timedTables = `
  select tables.table_name as name,
    coalesce(array_agg(column_name::text) filter (where data_type = 'timestamp with time zone'), '{}') as columns
  from information_schema.tables join information_schema.columns using (table_schema, table_name)
  where table_schema = 'public' and table_type = 'BASE TABLE' and table_name <> 'migrations'
  group by 1`
