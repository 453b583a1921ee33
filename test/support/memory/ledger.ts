// The ledger in memory. test/onboarding/ledger-contract checks it against PostgreSQL. Queries that no flow needs in
// memory may be missing.
import { randomBytes } from 'node:crypto'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { keyedTokens } from '../../../src/onboarding/adapters/crypto/tokens.ts'
import { rememberedSessions } from '../../../src/onboarding/linking/adapters/remembered-sessions.ts'
import { memoryApiKeys } from './api-keys.ts'
import { memoryAudit } from './audit.ts'
import { memoryCampaigns } from './campaigns.ts'
import { steppedClock } from './clock.ts'
import { memoryConnectSessions } from './connect-sessions.ts'
import { memoryConnectionTasks } from './connection-tasks.ts'
import { memoryConnections } from './connections.ts'
import { memoryDeliveries } from './deliveries.ts'
import { memoryErasures } from './erasures.ts'
import { memoryEventLog } from './event-log.ts'
import { memoryHealthChecks } from './health-checks.ts'
import { memoryIdempotency } from './idempotency.ts'
import { memoryImports } from './imports.ts'
import { memoryKnownToolLists } from './known-tool-lists.ts'
import { memoryLinks } from './links.ts'
import { memoryManageSessions } from './manage-sessions.ts'
import { memoryRegisteredClients } from './registered-clients.ts'
import { memoryStoredGrants } from './stored-grants.ts'
import { emptyTables } from './tables.ts'
import { memoryTenantDeletions } from './tenant-deletions.ts'
import { memoryTenants } from './tenants.ts'
import { memoryWebhooks } from './webhooks.ts'

export type MemoryLedger = ReturnType<typeof openMemoryLedger>

const tokens = keyedTokens(new Secret(randomBytes(32)))

export function openMemoryLedger(clock = steppedClock()) {
  const store = { tables: emptyTables(), now: clock.now }
  const links = memoryLinks(store)
  return {
    tables: store.tables,
    clock,
    tokens,
    audit: memoryAudit(store),
    tenants: memoryTenants(store, tokens),
    deletions: memoryTenantDeletions(store),
    erasures: memoryErasures(store),
    registeredClients: memoryRegisteredClients(store),
    apiKeys: memoryApiKeys(store, tokens),
    sessions: rememberedSessions(memoryConnectSessions(store), store.now),
    manageSessions: memoryManageSessions(store),
    links,
    secrets: links,
    connections: memoryConnections(store),
    storedGrants: memoryStoredGrants(store),
    healthChecks: memoryHealthChecks(store),
    knownToolLists: memoryKnownToolLists(store),
    tasks: memoryConnectionTasks(store),
    webhooks: memoryWebhooks(store),
    deliveries: memoryDeliveries(store),
    eventLog: memoryEventLog(store),
    imports: memoryImports(store),
    campaigns: memoryCampaigns(store),
    idempotency: memoryIdempotency(store),
  }
}
