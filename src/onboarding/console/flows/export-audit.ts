import type { Actor } from '../../domain/audit/audit.ts'
import type { Audit } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, SupportLedger } from '../../domain/ports/support-ledger.ts'

type Needs = { support: SupportLedger; audit: Audit }

/** Exports the audit log, newest first. The export itself is audited, too. */
export const exportAudit =
  (needs: Needs) =>
  async ({ actor, filter }: { actor: Actor; filter: AuditFilter }): Promise<AsyncGenerator<AuditLine[]>> => {
    await needs.audit.note({ action: 'audit.exported', actor, facts: { format: 'csv', ...factsOf(filter) } })
    return pagesOf(needs, filter)
  }

const pageLimit = 1_000

/**
 * Reads page by page while the file is sent, so that a long log is never in memory as a whole. It is never truncated:
 * nobody could tell from the file.
 */
async function* pagesOf({ support }: Needs, filter: AuditFilter): AsyncGenerator<AuditLine[]> {
  let cursor: string | undefined
  do {
    const page = await support.audit({ ...filter, cursor, limit: pageLimit })
    yield page.data
    cursor = page.nextCursor
  } while (cursor)
}

const factsOf = ({ actor, tenant, action, connection, link, requestId, from, to }: AuditFilter) => ({
  actor,
  tenantId: tenant,
  action,
  connectionId: connection,
  linkId: link,
  requestId,
  from: from?.toISOString(),
  to: to?.toISOString(),
})
