import type { Page } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, Cursor, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { type Caller, maySee } from '../../domain/tenant.ts'

type AuditQuery = AuditFilter & Cursor & { caller: Caller }

/** Lists the audit log, newest first. A tenant sees its own entries, and in them nothing of another tenant's. */
export const listAudit =
  ({ support }: { support: SupportLedger }) =>
  async ({ caller, ...query }: AuditQuery): Promise<Page<AuditLine>> => {
    const isOutside = query.tenant !== undefined && !maySee(caller, query.tenant)
    if (isOutside) return { data: [], nextCursor: undefined }
    const page = await support.audit({ ...query, tenant: caller.tenant ?? query.tenant })
    return caller.tenant === undefined ? page : { ...page, data: asTenantSees(page.data, query) }
  }

/** That somebody else asked is the tenant's business; who it was, and by which request, is the deployment's. */
function asTenantSees(lines: AuditLine[], { actor, requestId }: AuditFilter): AuditLine[] {
  // Found by what is hidden, an entry would tell it all the same.
  const isSearched = actor !== undefined || requestId !== undefined
  return lines.flatMap((line): AuditLine[] => {
    if (line.action !== 'authz.denied') return [line]
    return isSearched ? [] : [{ ...line, actor: { kind: line.actor.kind }, facts: {}, requestId: undefined }]
  })
}
