import type pg from 'pg'
import type { SealedBox } from '../../kit/crypto/sealed-box.ts'
import type { Prepared } from '../../kit/database/prepared.ts'
import type { ResolvingFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { ProvisioningPorts } from '../domain/ports/provisioning.ts'
import type { Clock } from '../domain/ports/shared.ts'
import { mcpServers } from './adapters/mcp-server/mcp-servers.ts'
import { openidProvider } from './adapters/openid/provider.ts'
import { platformClient } from './adapters/platform/platform.ts'
import type { PlatformAddress, PlatformHttp } from './adapters/platform/platform-http.ts'
import { platformProbe } from './adapters/platform/platform-probe.ts'
import { postgresConnections } from './adapters/postgres/connections.ts'
import { postgresLinks } from './adapters/postgres/links.ts'
import { postgresRegisteredClients, rememberedClients } from './adapters/postgres/registered-clients.ts'
import { postgresStoredGrants } from './adapters/postgres/stored-grants.ts'
import { withTestPlatform } from './adapters/test-mode/test-platform.ts'

type Parts = {
  pool: pg.Pool
  run: Prepared
  fetch: ResolvingFetch
  testBase: string
  seal: SealedBox
  http: PlatformHttp
  nameOf(integration: string): string
  now: Clock
}

type Settings = {
  publicUrl: string
  clientName: string
  platform: PlatformAddress
  leaseSeconds: number
  repairPages: boolean
}

export function openProvisioning(
  { pool, run, fetch, testBase, seal, http, nameOf, now }: Parts,
  settings: Settings,
): ProvisioningPorts {
  const repairUrlOf = settings.repairPages
    ? (connectionId: string) => `${settings.publicUrl}/repair/${connectionId}`
    : undefined
  const links = postgresLinks(pool, run, settings.leaseSeconds)
  return {
    links,
    secrets: links,
    connections: postgresConnections(pool, run),
    storedGrants: postgresStoredGrants(pool),
    provider: openidProvider({ fetch, now, redirectUri: (id) => `${settings.publicUrl}/oauth/callback/${id}` }),
    platform: withTestPlatform(platformClient(http, settings.platform, { nameOf, repairUrlOf }), testBase),
    platformProbe: platformProbe(http),
    mcpServers: mcpServers(fetch, { name: settings.clientName, uri: settings.publicUrl }),
    registeredClients: rememberedClients(postgresRegisteredClients(pool, seal)),
  }
}
