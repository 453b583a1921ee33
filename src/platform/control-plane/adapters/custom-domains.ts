import { Resolver } from 'node:dns/promises'
import type pg from 'pg'
import { z } from 'zod'
import { row, rows, sql } from '../../../kit/database/sql.ts'
import type { Resource } from '../domain/resource.ts'
import { columns, ResourceRow } from './resource-pages.ts'

const Host = z.object({ address: z.string(), preview: z.string() })
const Preview = Host.pick({ preview: true })

const base = sql`regexp_replace(d.spec ->> 'domain', '^\\*\\.', '')`

/** The time between two checks is a twentieth of the age, and at least a minute. */
export const postgresUnverifiedDomains = (pool: pg.Pool) => (): Promise<Resource[]> =>
  rows(
    pool,
    ResourceRow,
    sql`select ${columns} from resources d
      where kind = 'customdomain' and spec ->> 'domain' <> '' and state ->> 'verified' is distinct from ${base}
        and coalesce((state ->> 'checkedAt')::timestamptz, '-infinity')
          < now() - greatest(interval '1 minute', (now() - greatest(created_at, updated_at)) / 20)
      order by state ->> 'checkedAt' nulls first limit 20`,
  )

/** Reads verified domains. If several workspaces have proven a domain, the latest proof counts. */
export const postgresCustomHosts = (pool: pg.Pool) => async (): Promise<Map<string, string>> => {
  const found = await rows(
    pool,
    Host,
    sql`select h.address, h.preview from preview_hosts h
      join resources d on d.workspace = h.workspace and d.kind = 'customdomain' and d.state ->> 'verified' = ${base}
        and (h.address = ${base} or right(h.address, length(${base}) + 1) = '.' || ${base})
      order by d.state ->> 'checkedAt', h.preview`,
  )
  return new Map(found.map(({ address, preview }) => [address, preview]))
}

export const postgresPreviewAt =
  (pool: pg.Pool) =>
  async (label: string): Promise<string | undefined> =>
    (await row(pool, Preview, sql`select preview from preview_hosts where address = ${label} and address like 'pv-%'`))
      ?.preview

const lookupMs = 3_000

/** Returns no records if the name does not exist or its servers do not answer. */
export async function txtRecordsOf(name: string): Promise<string[]> {
  const found = await new Resolver({ timeout: lookupMs, tries: 1 }).resolveTxt(name).catch(() => [])
  return found.map((parts) => parts.join(''))
}
