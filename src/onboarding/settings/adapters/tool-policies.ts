import type pg from 'pg'
import { z } from 'zod'
import type { SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { maybe, rows, sql } from '../../../kit/database/sql.ts'
import type { ToolPolicies } from '../../domain/ports/integration-settings.ts'
import { NarrowPolicy } from '../../domain/settings-changes/tool-policy.ts'
import { postgresVersionStore, VersionRow, versionColumns, versionReader } from './version-store.ts'

const kind = 'tool_policy'

export function postgresToolPolicies(pool: pg.Pool, box: Pick<SealedBox, 'seal' | 'open'>): ToolPolicies {
  const read = versionReader(box, kind)
  return {
    ...postgresVersionStore(pool, box, kind),
    async placed() {
      const found = await rows(
        pool,
        PlacedRow,
        sql`
          select current.*, place.workspace, place.connection, place.client
          from (
            select distinct on (subject) ${versionColumns} from setting_versions where kind = ${kind}
            order by subject, version desc
          ) as current
          join lateral (
            select workspace, null as connection, null as client from tenants
            where starts_with(current.subject, 'tenant/') and id = substr(current.subject, 8)
            union
            select workspace, null, null from connections
            where starts_with(current.subject, 'tenant/') and tenant = substr(current.subject, 8)
            union
            select workspace, name, null from connections
            where starts_with(current.subject, 'connection/') and id = substr(current.subject, 12)
              and status <> 'disconnected'
            union
            select workspace, name, substr(current.subject, length(id) + 8) from connections
            where starts_with(current.subject, 'login/') and id = split_part(current.subject, '/', 2)
              and status <> 'disconnected'
          ) as place on true
          where current.sealed is not null
          order by workspace, connection, client, subject`,
      )
      return found.map(({ workspace, connection, client, ...version }) => ({
        ...NarrowPolicy.parse(read(version).entry),
        workspace,
        ...(connection !== undefined && { connection }),
        ...(client !== undefined && { client }),
      }))
    },
  }
}

const PlacedRow = VersionRow.extend({ workspace: z.string(), connection: maybe(z.string()), client: maybe(z.string()) })
