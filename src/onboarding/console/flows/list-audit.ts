import type { Page } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, Cursor, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { type Caller, maySee } from '../../domain/tenant.ts'

/** Lists the audit log, newest first. A tenant sees its own entries. */
export const listAudit =
  ({ support }: { support: SupportLedger }) =>
  async ({ caller, ...query }: AuditFilter & Cursor & { caller: Caller }): Promise<Page<AuditLine>> => {
    const isOutside = query.tenant !== undefined && !maySee(caller, query.tenant)
    if (isOutside) return { data: [], nextCursor: undefined }
    return support.audit({ ...query, tenant: caller.tenant ?? query.tenant })
  }
