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
import { missing } from '../../domain/failure.ts'
import type { Connections } from '../../domain/ports/connections.ts'
import type { Erasures } from '../../domain/ports/erasures.ts'
import type { Imports } from '../../domain/ports/imports.ts'
import type { Links } from '../../domain/ports/provisioning.ts'
import type { Audit, Page } from '../../domain/ports/shared.ts'
import { anyAudit, type SupportLedger } from '../../domain/ports/support-ledger.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { Webhooks } from '../../domain/ports/webhooks.ts'
import { type Caller, maySee, type Tenant } from '../../domain/tenant.ts'

export type ExportNeeds = {
  tenants: Tenants
  webhooks: Webhooks
  connections: Connections
  links: Links
  imports: Imports
  erasures: Erasures
  support: SupportLedger
  audit: Audit
}

export type ExportTenant = { caller: Caller; actor: Actor; tenant: string }

type PageOfExport = ExportTenant & { cursor: string | undefined; limit: number }

/**
 * One page, on record: who took along what belongs to the tenant is the tenant's business, too. A cursor can be
 * written by hand, so one that is given does not mean that an earlier page was noted.
 */
export const exportPage =
  (needs: ExportNeeds) =>
  async ({ cursor, limit, ...asked }: PageOfExport): Promise<Page<ExportRecord>> => {
    const tenant = await exportedTenant(needs, asked)
    return pageAt(needs, { tenant, caller: asked.caller }, exportPosition(cursor), limit)
  }

const streamedAtOnce = 200

/** All of it, page by page while it is read: it is never in memory as a whole. */
export const exportTenant =
  (needs: ExportNeeds) =>
  async (asked: ExportTenant): Promise<AsyncGenerator<ExportRecord, void, undefined>> => {
    const tenant = await exportedTenant(needs, asked)
    return recordsOf(needs, { tenant, caller: asked.caller })
  }

type ExportScope = { tenant: Tenant; caller: Caller }

async function* recordsOf(needs: ExportNeeds, exported: ExportScope): AsyncGenerator<ExportRecord, void, undefined> {
  let cursor: string | undefined
  do {
    const page = await pageAt(needs, exported, exportPosition(cursor), streamedAtOnce)
    yield* page.data
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

async function exportedTenant(needs: ExportNeeds, { caller, actor, tenant: id }: ExportTenant): Promise<Tenant> {
  if (!maySee(caller, id)) throw missing('tenant', id)
  const tenant = await needs.tenants.find(id)
  if (!tenant) throw missing('tenant')
  await needs.audit.note({ action: 'tenant.exported', actor, ...aboutTenant(id), facts: {} })
  return tenant
}

/** A page ends where its section does: an empty one is not the last. */
async function pageAt(
  needs: ExportNeeds,
  exported: ExportScope,
  { section, cursor }: ExportPosition,
  limit: number,
): Promise<Page<ExportRecord>> {
  const found = await sections[section](needs, exported, { cursor, limit })
  if (found.nextCursor !== undefined)
    return { ...found, nextCursor: exportCursor({ section, cursor: found.nextCursor }) }
  const next = nextSection(section)
  const nextCursor = next && exportCursor({ section: next, cursor: undefined })
  // Sections are mostly short, and a page of one record each would be a long walk.
  if (nextCursor === undefined || found.data.length >= limit) return { ...found, nextCursor }
  const rest = await pageAt(needs, exported, exportPosition(nextCursor), limit - found.data.length)
  return { data: [...found.data, ...rest.data], nextCursor: rest.nextCursor }
}

type PageQuery = { cursor: string | undefined; limit: number }
type ReadSection = (needs: ExportNeeds, exported: ExportScope, page: PageQuery) => Promise<Page<ExportRecord>>

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
  // As the tenant sees it, whoever asks: the file is for the tenant.
  audit_entry: async (needs, { tenant }, page) => {
    const caller = { keyId: '', tenant: tenant.id }
    return recordsIn('audit_entry', await listAudit(needs)({ ...anyAudit, caller, tenant: tenant.id, ...page }))
  },
}
