import type { Page } from '../domain/ports.ts'
import type { AuditFilter, AuditLine, Cursor } from '../domain/support-ports.ts'
import { type Caller, maySee } from '../domain/tenant.ts'
import type { Adapters } from './adapters.ts'

/** Who did what, newest first. A tenant sees what concerns it. */
export const listAudit =
  ({ support }: Pick<Adapters, 'support'>) =>
  async ({ caller, ...query }: AuditFilter & Cursor & { caller: Caller }): Promise<Page<AuditLine>> => {
    const isOutside = query.tenant !== undefined && !maySee(caller, query.tenant)
    if (isOutside) return { data: [], nextCursor: undefined }
    return support.audit({ ...query, tenant: caller.tenant ?? query.tenant })
  }
