import { z } from 'zod'
import { connectionAnswer } from '../../connections/http/connections.ts'
import { auditAnswer } from '../../console/http/audit-api.ts'
import { type ExportRecord, exportCursorPattern, exportSections } from '../../domain/exports/tenant-export.ts'
import { type OutsideCall, outsideCalls } from '../../domain/trace/outside-call.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf } from '../../http/schemas.ts'
import { importAnswer } from '../../imports/http/imports.ts'
import { linkAnswer } from '../../linking/http/links.ts'
import { erasureAnswer } from '../../offboarding/http/erasures.ts'
import { listedClientAnswer } from '../../tenants/http/oauth-clients.ts'
import { tenantAnswer } from '../../tenants/http/tenants.ts'
import { webhookAnswer } from '../../webhooks/http/webhooks.ts'
import { exportPage, exportTenant } from '../flows/export-tenant.ts'

const RecordAnswer = z
  .strictObject({
    type: z.enum(exportSections).meta({ id: 'ExportRecordType', description: 'The type of the record.' }),
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The `Tenant`, `OAuthClientDetails`, `Webhook`, `Connection`, `Link`, `Import`, `Erasure` or `AuditEntry`, in the same format as in the API. A link also has `outsideCalls`: its calls to the provider and the platform, with time, status or error code, and duration. Records contain no secrets.',
    }),
  })
  .meta({
    id: 'ExportRecord',
    description: 'One record of an export.',
    examples: [{ type: 'oauth_client', data: { integrationId: 'gmail', clientId: '1234.apps.example' } }],
  })

export function recordAnswer(record: ExportRecord, publicUrl: string): z.input<typeof RecordAnswer> {
  return { type: record.type, data: dataOf(record, publicUrl) }
}

function dataOf(record: ExportRecord, publicUrl: string): Record<string, unknown> {
  switch (record.type) {
    case 'tenant':
      return tenantAnswer(record.value)
    case 'oauth_client':
      return listedClientAnswer(record.value)
    case 'webhook':
      return webhookAnswer(record.value)
    case 'connection':
      return connectionAnswer(record.value)
    case 'link':
      return { ...linkAnswer(record.value, publicUrl), outsideCalls: record.value.calls.map(callAnswer) }
    case 'import':
      return importAnswer(record.value)
    case 'erasure':
      return erasureAnswer(record.value)
    case 'audit_entry':
      return auditAnswer(record.value)
  }
}

const callAnswer = ({ at, ...call }: OutsideCall) => ({
  ...call,
  at: at.toISOString(),
  server: outsideCalls[call.call],
})

export const tenantExportRoutes = [
  route({
    method: 'get',
    path: '/tenants/{tenantId}/export',
    operationId: 'exportTenant',
    client: 'tenants.export',
    clientNote: 'Exports all data of the tenant, one record per item.',
    summary: 'Export a tenant',
    description:
      'Exports the tenant, its OAuth clients, webhook endpoints, connections, links, imports, erasures with their receipts, and its audit log. With `Accept: application/x-ndjson`, the response contains all records, one per line, and `cursor` and `limit` are not accepted; a truncated response is incomplete. Grants and other secrets are not exported. The operator of the deployment can export grants with a command, encrypted for your key.',
    tag: 'Tenants',
    params: { tenantId: Id },
    query: z.strictObject({ cursor: after(exportCursorPattern), limit }),
    answers: { 200: listOf(RecordAnswer) },
    lines: async ({ ports, settings, caller, actor, params: { tenantId: tenant } }) => {
      const records = await exportTenant(ports, { caller, actor, tenant })
      return answered(records, settings.publicUrl)
    },
    handle: async ({ ports, settings, caller, actor, params: { tenantId: tenant }, query: { cursor, limit } }) => {
      const page = await exportPage(ports, { caller, actor, tenant, cursor, limit })
      return { status: 200, body: listAnswer(page, (record) => recordAnswer(record, settings.publicUrl)) }
    },
  }),
]

async function* answered(records: AsyncIterable<ExportRecord>, publicUrl: string) {
  for await (const record of records) yield recordAnswer(record, publicUrl)
}
