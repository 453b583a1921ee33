import type { Page } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, Cursor, SupportLedger } from '../../domain/ports/support-ledger.ts'
import { type Caller, maySee, sightOn } from '../../domain/tenant.ts'

type AuditQuery = AuditFilter & Cursor & { caller: Caller }

/** Lists the audit log, newest first. A tenant sees its own entries, and in them nothing of another tenant's. */
export const listAudit =
  ({ support }: { support: SupportLedger }) =>
  async ({ caller, ...query }: AuditQuery): Promise<Page<AuditLine>> => {
    const isOutside = query.tenant !== undefined && !maySee(caller, query.tenant)
    if (isOutside) return { data: [], nextCursor: undefined }
    if (caller.tenant === undefined) return support.audit({ ...query, ...sightOn(caller, query.tenant) })
    // Found by what is hidden, an entry would tell it all the same: not only shown, but also counted and paged over.
    const isSearched = query.actor !== undefined || query.requestId !== undefined
    const except = isSearched ? strangersAction : undefined
    const page = await support.audit({ ...query, except, tenant: caller.tenant })
    return { ...page, data: page.data.map(asTenantSees) }
  }

const strangersAction = 'authz.denied'

/** That somebody else asked is the tenant's business; who it was, and by which request, is the deployment's. */
const asTenantSees = (line: AuditLine): AuditLine =>
  line.action === strangersAction
    ? { ...line, actor: { kind: line.actor.kind }, facts: {}, requestId: undefined }
    : line
