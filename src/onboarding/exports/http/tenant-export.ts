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
import type { ExportFlows } from '../flows/export-flows.ts'

const RecordAnswer = z
  .strictObject({
    type: z.enum(exportSections).meta({ id: 'ExportRecordType', description: 'What the record is.' }),
    data: z.record(z.string(), z.unknown()).meta({
      description:
        'The `Tenant`, `OAuthClientDetails`, `Webhook`, `Connection`, `Link`, `Import`, `Erasure` or `AuditEntry`, as its own operation answers with it. A link also has `outsideCalls`: which calls it made to the provider and the platform, when, with which status or error code, and how long each took. Secrets are in none of them.',
    }),
  })
  .meta({
    id: 'ExportRecord',
    description: 'One thing of a tenant.',
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

type Needs = { flows: Pick<ExportFlows, 'exportPage' | 'exportTenant'>; publicUrl: string }

export const tenantExportRoutes = ({ flows, publicUrl }: Needs) => [
  route({
    method: 'get',
    path: '/tenants/{tenantId}/export',
    operationId: 'exportTenant',
    summary: 'Export a tenant',
    description:
      'Everything of theirs: the tenant itself, its OAuth clients and webhook endpoints, every connection, link and import, the erasures of its users with their receipts, and its audit log. With `Accept: application/x-ndjson` all of it comes in one response, a record a line, without `cursor` and `limit`; a response that breaks off is not complete. Grants and other secrets are not in it: the operator of the deployment can export grants by command, encrypted for a key of yours.',
    tag: 'Tenants',
    params: { tenantId: Id },
    query: z.strictObject({ cursor: after(exportCursorPattern), limit }),
    answers: { 200: listOf(RecordAnswer) },
    lines: async ({ caller, actor, params: { tenantId: tenant } }) => {
      const records = await flows.exportTenant({ caller, actor, tenant })
      return answered(records, publicUrl)
    },
    handle: async ({ caller, actor, params: { tenantId: tenant }, query: { cursor, limit } }) => {
      const page = await flows.exportPage({ caller, actor, tenant, cursor, limit })
      return { status: 200, body: listAnswer(page, (record) => recordAnswer(record, publicUrl)) }
    },
  }),
]

async function* answered(records: AsyncIterable<ExportRecord>, publicUrl: string) {
  for await (const record of records) yield recordAnswer(record, publicUrl)
}
