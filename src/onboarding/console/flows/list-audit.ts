import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import type { AuditFilter, AuditLine, Cursor } from '../../domain/ports/support-ledger.ts'
import { type Caller, maySee, sightOn } from '../../domain/tenant.ts'

/** A tenant only sees its own entries, without other tenants' data. */
export async function listAudit(
  { support }: Ports,
  { caller, ...query }: AuditFilter & Cursor & { caller: Caller },
): Promise<Page<AuditLine>> {
  const isOutside = query.tenant !== undefined && !maySee(caller, query.tenant)
  if (isOutside) return { data: [], nextCursor: undefined }
  if (caller.tenant === undefined) return support.audit({ ...query, ...sightOn(caller, query.tenant) })
  // Hide these entries when searching by a redacted field: a match, even in a count or a page size, would reveal the
  // value.
  const isSearched = query.actor !== undefined || query.requestId !== undefined
  const except = isSearched ? strangersAction : undefined
  const page = await support.audit({ ...query, except, tenant: caller.tenant })
  return { ...page, data: page.data.map(asTenantSees) }
}

const strangersAction = 'authz.denied'

/** The tenant may see that there was an attempt, but not who made it. */
const asTenantSees = (line: AuditLine): AuditLine =>
  line.action === strangersAction
    ? { ...line, actor: { kind: line.actor.kind }, facts: {}, requestId: undefined }
    : line
