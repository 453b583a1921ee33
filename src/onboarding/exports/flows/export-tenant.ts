import { listAudit } from '../../console/flows/list-audit.ts'
import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import {
  type ExportPosition,
  type ExportRecord,
  type ExportSection,
  exportCursor,
  exportPosition,
  nextSection,
} from '../../domain/exports/tenant-export.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { Page } from '../../domain/ports/shared.ts'
import { anyAudit } from '../../domain/ports/support-ledger.ts'
import type { Caller, Tenant } from '../../domain/tenant.ts'
import { pagesOf } from '../../flows/pages-of.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

type ExportTenant = { caller: Caller; actor: Actor; tenant: string }

/** Every page is audited. Cursors can be forged, so a cursor does not prove that an earlier page was audited. */
export async function exportPage(
  ports: Ports,
  { cursor, limit, ...asked }: ExportTenant & PageQuery,
): Promise<Page<ExportRecord>> {
  const tenant = await exportedTenant(ports, asked)
  return pageAt(ports, { tenant, caller: asked.caller }, exportPosition(cursor), limit)
}

/** Streams page by page; the export is never in memory as a whole. */
export async function exportTenant(
  ports: Ports,
  asked: ExportTenant,
): Promise<AsyncGenerator<ExportRecord, void, undefined>> {
  const tenant = await exportedTenant(ports, asked)
  return recordsOf(ports, { tenant, caller: asked.caller })
}

type ExportScope = { tenant: Tenant; caller: Caller }

async function* recordsOf(ports: Ports, exported: ExportScope): AsyncGenerator<ExportRecord, void, undefined> {
  for await (const page of pagesOf((cursor) => pageAt(ports, exported, exportPosition(cursor), 200))) yield* page
}

async function exportedTenant(ports: Ports, { caller, actor, tenant: id }: ExportTenant): Promise<Tenant> {
  const tenant = await readTenant(ports, { caller, id })
  await ports.audit.note({ action: 'tenant.exported', actor, ...aboutTenant(id), facts: {} })
  return tenant
}

/** An empty page is not necessarily the last one. */
async function pageAt(
  ports: Ports,
  exported: ExportScope,
  { section, cursor }: ExportPosition,
  limit: number,
): Promise<Page<ExportRecord>> {
  const found = await sections[section](ports, exported, { cursor, limit })
  if (found.nextCursor !== undefined)
    return { ...found, nextCursor: exportCursor({ section, cursor: found.nextCursor }) }
  const next = nextSection(section)
  const nextCursor = next && exportCursor({ section: next, cursor: undefined })
  // Most sections are short: fill the page from the next section.
  if (nextCursor === undefined || found.data.length >= limit) return { ...found, nextCursor }
  const rest = await pageAt(ports, exported, exportPosition(nextCursor), limit - found.data.length)
  return { data: [...found.data, ...rest.data], nextCursor: rest.nextCursor }
}

type PageQuery = { cursor: string | undefined; limit: number }
type ReadSection = (ports: Ports, exported: ExportScope, page: PageQuery) => Promise<Page<ExportRecord>>

const whole = (data: ExportRecord[]): Page<ExportRecord> => ({ data, nextCursor: undefined })

const recordsIn = <T extends ExportSection>(
  type: T,
  { data, nextCursor }: Page<Extract<ExportRecord, { type: T }>['value']>,
): Page<ExportRecord> => ({ data: data.map((value) => ({ type, value }) as ExportRecord), nextCursor })

const sections: Record<ExportSection, ReadSection> = {
  tenant: async (_, { tenant }) => whole([{ type: 'tenant', value: tenant }]),
  oauth_client: async ({ tenants }, { tenant }) =>
    whole((await tenants.ownClients(tenant.id)).map((value) => ({ type: 'oauth_client', value }))),
  webhook: async ({ webhooks }, { tenant }) =>
    whole((await webhooks.list(tenant.id)).map((value) => ({ type: 'webhook', value }))),
  connection: async ({ connections }, { tenant }, page) => {
    const any = { integration: undefined, status: undefined, cause: undefined, endUserId: undefined }
    return recordsIn('connection', await connections.list({ ...any, tenant: tenant.id, ...page }))
  },
  link: async ({ links, support }, { tenant }, page) => {
    const found = await links.list({ tenant: tenant.id, status: undefined, cause: undefined, ...page })
    const calls = await support.outsideCalls(found.data.map(({ id }) => id))
    const data = found.data.map((link) => ({ ...link, calls: calls.get(link.id) ?? [] }))
    return recordsIn('link', { ...found, data })
  },
  import: async ({ imports }, { tenant }, page) =>
    recordsIn('import', await imports.list({ tenant: tenant.id, ...page })),
  erasure: async ({ erasures }, { tenant }, page) =>
    recordsIn('erasure', await erasures.list({ tenant: tenant.id, ...page })),
  // Read as the tenant, because the file is for the tenant.
  audit_entry: async (ports, { tenant }, page) => {
    const caller = { keyId: '', tenant: tenant.id }
    return recordsIn('audit_entry', await listAudit(ports, { ...anyAudit, caller, tenant: tenant.id, ...page }))
  },
}
