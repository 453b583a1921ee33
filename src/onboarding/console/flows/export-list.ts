import type { Actor } from '../../domain/audit/audit.ts'
import type { Connection } from '../../domain/connection.ts'
import type { Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { AuditFilter, AuditLine, ConnectionFilter, LinkFilter } from '../../domain/ports/support-ledger.ts'
import { pagesOf } from '../../flows/pages-of.ts'

type Export<Filter> = { actor: Actor; filter: Filter }

/** Audited, because the file contains names of users. */
export async function exportConnections(
  { support, audit }: Ports,
  { actor, filter }: Export<ConnectionFilter>,
): Promise<AsyncGenerator<Connection[]>> {
  const facts = { list: 'connections', format: 'csv', tenantId: filter.tenant } as const
  await audit.note({ action: 'list.exported', actor, facts })
  return pagesOf((cursor) => support.connections({ ...filter, cursor, limit: pageLimit }))
}

export async function exportLinks(
  { support, audit }: Ports,
  { actor, filter }: Export<LinkFilter>,
): Promise<AsyncGenerator<Link[]>> {
  const facts = { list: 'links', format: 'csv', tenantId: filter.tenant } as const
  await audit.note({ action: 'list.exported', actor, facts })
  return pagesOf((cursor) => support.links({ ...filter, cursor, limit: pageLimit }))
}

export async function exportAudit(
  { support, audit }: Ports,
  { actor, filter }: Export<AuditFilter>,
): Promise<AsyncGenerator<AuditLine[]>> {
  await audit.note({ action: 'audit.exported', actor, facts: { format: 'csv', ...factsOf(filter) } })
  return pagesOf((cursor) => support.audit({ ...filter, cursor, limit: pageLimit }))
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

const pageLimit = 1_000
