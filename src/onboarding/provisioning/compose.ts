import type { Kysely } from 'kysely'
import type { Prepared } from '../../kit/database/prepared.ts'
import type { GuardedFetch } from '../../kit/fetch/guarded-fetch.ts'
import type { LedgerSchema } from '../adapters/postgres/schema.ts'
import type { ProvisioningPorts } from '../domain/ports/provisioning.ts'
import type { Clock } from '../domain/ports/shared.ts'
import { openidProvider } from './adapters/openid/provider.ts'
import { platformClient } from './adapters/platform/platform.ts'
import type { PlatformAddress, PlatformHttp } from './adapters/platform/platform-http.ts'
import { postgresConnections } from './adapters/postgres/connections.ts'
import { postgresLinks } from './adapters/postgres/links.ts'
import { postgresStoredGrants } from './adapters/postgres/stored-grants.ts'

type Parts = {
  db: Kysely<LedgerSchema>
  run: Prepared
  fetch: GuardedFetch
  http: PlatformHttp
  now: Clock
}

type Settings = { publicUrl: string; platform: PlatformAddress; leaseSeconds: number }

export function openProvisioning({ db, run, fetch, http, now }: Parts, settings: Settings): ProvisioningPorts {
  const links = postgresLinks(db, run, settings.leaseSeconds)
  return {
    links,
    secrets: links,
    connections: postgresConnections(db),
    storedGrants: postgresStoredGrants(db),
    provider: openidProvider({ fetch, now, redirectUri: (id) => `${settings.publicUrl}/oauth/callback/${id}` }),
    platform: platformClient(http, settings.platform),
  }
}
