import type { Actor } from '../../domain/audit/audit.ts'
import type { Audit } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { pageLimit, pagesOf } from './export-list.ts'

type Needs = { support: SupportLedger; audit: Audit }

/** Exports the audit log, newest first. The export itself is audited, too. */
export const exportAudit =
  (needs: Needs) =>
  async ({ actor, filter }: { actor: Actor; filter: AuditFilter }): Promise<AsyncGenerator<AuditLine[]>> => {
    await needs.audit.note({ action: 'audit.exported', actor, facts: { format: 'csv', ...factsOf(filter) } })
    return pagesOf((cursor) => needs.support.audit({ ...filter, cursor, limit: pageLimit }))
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
