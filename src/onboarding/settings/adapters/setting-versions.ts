import type pg from 'pg'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { Secret } from '../../../kit/crypto/secret.ts'
import { one, rows, sql } from '../../../kit/database/sql.ts'
import { Count } from '../../adapters/postgres/schema.ts'
import type { OAuthClient } from '../../domain/integration.ts'
import type { SettingVersions } from '../../domain/ports/integration-settings.ts'
import type { SettingsVersion } from '../../domain/settings-changes/settings-version.ts'
import {
  clientIdOf,
  Newest,
  newestVersion,
  postgresVersionStore,
  VersionRow,
  versionColumns,
  versionReader,
} from './version-store.ts'

const kind = 'integration'

export const postgresSettingVersions = (pool: pg.Pool, box: Pick<SealedBox, 'seal' | 'open'>): SettingVersions => ({
  ...postgresVersionStore(pool, box, kind),
  newest: async () => (await one(pool, Newest, newestVersion)).version,
  async current() {
    const found = await rows(
      pool,
      VersionRow,
      sql`select distinct on (subject, client_id) ${versionColumns} from setting_versions where kind = ${kind}
        order by subject, client_id, version desc`,
    )
    const versions = found.map(versionReader(box, kind))
    return [...new Set(versions.map(({ subject }) => subject))].map((subject) => {
      const own = versions.filter((each) => each.subject === subject)
      const version = own.reduce((one, other) => (other.version > one.version ? other : one))
      return { version, earlierClients: own.filter((each) => each !== version).flatMap(clientsOf) }
    })
  },
  connectionsOf: async (integration) =>
    (
      await one(
        pool,
        Count,
        sql`select count(*) as count from connections where integration = ${integration}
          and status in ('active', 'needs_relink') and not exists (
            select from tenant_oauth_clients own
            where own.tenant = connections.tenant and own.integration = connections.integration)`,
      )
    ).count,
})

function clientsOf({ entry }: SettingsVersion): OAuthClient[] {
  const id = clientIdOf(entry)
  const { clientSecret } = entry ?? {}
  return id === undefined
    ? []
    : [{ id, secret: typeof clientSecret === 'string' ? new Secret(clientSecret) : undefined }]
}
