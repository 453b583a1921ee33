import type { Actor } from '../domain/audit.ts'
import type { AuditFilter, AuditLine } from '../domain/support-ports.ts'
import type { Adapters } from './adapters.ts'

type Needs = Pick<Adapters, 'support' | 'audit'>

/** Who did what, newest first and as much as a file may hold. Who takes the record away is on it, too. */
export const exportAudit =
  (needs: Needs) =>
  async ({ actor, filter }: { actor: Actor; filter: AuditFilter }): Promise<AsyncGenerator<AuditLine[]>> => {
    await needs.audit.note({ action: 'audit.exported', actor, reason: 'csv', after: asWords(filter) })
    return pagesOf(needs, filter)
  }

const pageLimit = 1_000
const mostExported = 100_000

/** A page at a time, read when the one before is on its way: a long record is never in memory as a whole. */
async function* pagesOf({ support }: Needs, filter: AuditFilter): AsyncGenerator<AuditLine[]> {
  let cursor: string | undefined
  for (let read = 0; read < mostExported; read += pageLimit) {
    const page = await support.audit({ ...filter, cursor, limit: pageLimit })
    yield page.data
    cursor = page.nextCursor
    if (!cursor) return
  }
}

const asWords = (filter: AuditFilter): Record<string, string> =>
  Object.fromEntries(
    Object.entries(filter)
      .filter(([, value]) => value !== undefined)
      .map(([name, value]) => [name, value instanceof Date ? value.toISOString() : String(value)]),
  )
