import type { Actor } from '../../domain/audit/audit.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Link } from '../../domain/link.ts'
import type { Audit, Page } from '../../domain/ports/shared.ts'
import type { ConnectionFilter, LinkFilter, SupportLedger } from '../../domain/ports/support-ledger.ts'

type Needs = { support: SupportLedger; audit: Audit }
type Export<Filter> = { actor: Actor; filter: Filter }

/** Names of users leave with it, so the export is on record. */
export const exportConnections =
  ({ support, audit }: Needs) =>
  async ({ actor, filter }: Export<ConnectionFilter>): Promise<AsyncGenerator<Connection[]>> => {
    const facts = { list: 'connections', format: 'csv', tenantId: filter.tenant } as const
    await audit.note({ action: 'list.exported', actor, facts })
    return pagesOf((cursor) => support.connections({ ...filter, cursor, limit: pageLimit }))
  }

export const exportLinks =
  ({ support, audit }: Needs) =>
  async ({ actor, filter }: Export<LinkFilter>): Promise<AsyncGenerator<Link[]>> => {
    const facts = { list: 'links', format: 'csv', tenantId: filter.tenant } as const
    await audit.note({ action: 'list.exported', actor, facts })
    return pagesOf((cursor) => support.links({ ...filter, cursor, limit: pageLimit }))
  }

export const pageLimit = 1_000

/** Read while the file is sent, so that a long list is never in memory as a whole. Never truncated: nobody could tell from the file. */
export async function* pagesOf<T>(read: (cursor: string | undefined) => Promise<Page<T>>): AsyncGenerator<T[]> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page.data
    cursor = page.nextCursor
  } while (cursor)
}
