import { z } from 'zod'
import { auditActionNames } from '../../domain/audit/audit-actions.ts'
import { nearestAction } from '../../domain/audit/audit-entry.ts'
import { subjectKinds } from '../../domain/audit/audit-facts.ts'
import type { AuditLine } from '../../domain/ports/support-ledger.ts'
import { route } from '../../http/route.ts'
import { after, limit, listAnswer, listOf, TenantId, time } from '../../http/schemas.ts'
import { listAudit } from '../flows/list-audit.ts'

const instant = z.iso
  .datetime({ offset: true, error: 'must be a time such as 2026-11-15T08:00:00Z' })
  .transform((text) => new Date(text))
  .optional()

/** Rejects a mistyped name, because an empty result would look like a clean log. */
const AuditActionName = z.enum(auditActionNames, {
  error: ({ input }) =>
    typeof input === 'string' && input.length <= 100
      ? `is not an action of the audit; the nearest is ${nearestAction(input)}`
      : 'is not an action of the audit',
})

const AuditListQuery = z.strictObject({
  tenantId: TenantId.optional(),
  action: AuditActionName.optional(),
  connectionId: z.string().max(100).optional(),
  linkId: z.string().max(100).optional(),
  actor: z.string().max(200).optional().meta({ description: 'The ID or name of the actor.' }),
  requestId: z.string().max(100).optional(),
  from: instant.meta({ description: 'Only entries at or after this time.' }),
  to: instant.meta({ description: 'Only entries before this time.' }),
  cursor: after(/^\d{1,18}$/),
  limit,
})

const AuditAnswer = z
  .strictObject({
    id: z.string(),
    occurredAt: time,
    action: z.enum(auditActionNames),
    subject: z
      .strictObject({ kind: z.enum(subjectKinds), id: z.string() })
      .optional()
      .meta({
        description: 'The subject of the entry. Absent if a rejected request named no existing resource.',
      }),
    facts: z.record(z.string(), z.unknown()).meta({
      description: 'Details by name, depending on the action.',
    }),
    actor: z.strictObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional() }),
    tenantId: z.string().optional(),
    linkId: z.string().optional(),
    connectionId: z.string().optional(),
    reason: z.string().optional().meta({ description: 'The reason that the actor gave.' }),
    requestId: z.string().optional(),
    erasureId: z
      .string()
      .optional()
      .meta({ description: 'The erasure that removed personal data, including the reason, from this entry.' }),
    before: z.record(z.string(), z.unknown()).optional().meta({ description: 'The subject before the change.' }),
    after: z.record(z.string(), z.unknown()).optional().meta({ description: 'The subject after the change.' }),
  })
  .meta({
    id: 'AuditEntry',
    description: 'An entry of the audit log.',
    examples: [
      {
        id: '4711',
        occurredAt: '2026-11-15T09:30:02.000Z',
        action: 'connection.disconnected',
        subject: { kind: 'connection', id: 'con_06gxytkv1n6z3c8p2r5s7t9w0x' },
        facts: { revocation: 'revoked' },
        actor: { kind: 'api_key', id: 'key_06gxyqh2m6p0r4t8w1x5y9z3a7' },
        tenantId: 'acme',
        connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
        reason: 'ticket 4711',
        requestId: 'req_q3Tz8Lw1Vb0k',
        before: { status: 'active' },
        after: { status: 'disconnected' },
      },
    ],
  })

/** Without the actor's IP address, which only the deployment may see. */
export const auditAnswer = (line: AuditLine): z.input<typeof AuditAnswer> => ({
  id: String(line.id),
  occurredAt: line.at.toISOString(),
  action: line.action,
  ...(line.subject && { subject: line.subject }),
  facts: line.facts,
  actor: {
    kind: line.actor.kind,
    ...(line.actor.id && { id: line.actor.id }),
    ...(line.actor.name && { name: line.actor.name }),
  },
  ...(line.tenant && { tenantId: line.tenant }),
  ...(line.link && { linkId: line.link }),
  ...(line.connection && { connectionId: line.connection }),
  ...(line.reason && { reason: line.reason }),
  ...(line.requestId && { requestId: line.requestId }),
  ...(line.erasure && { erasureId: line.erasure }),
  ...(line.before && { before: line.before }),
  ...(line.after && { after: line.after }),
})

export const auditRoutes = [
  route({
    method: 'get',
    path: '/audit',
    operationId: 'listAuditEntries',
    client: 'audit.list',
    summary: 'List audit entries',
    description: 'Returns the audit log, newest first. A tenant key only returns entries of its tenant.',
    tag: 'Audit',
    query: AuditListQuery,
    answers: { 200: listOf(AuditAnswer) },
    handle: async ({ ports, caller, query: { tenantId, linkId, connectionId, ...query } }) => {
      const { action, actor, requestId, from, to, cursor, limit } = query
      const about = { tenant: tenantId, link: linkId, connection: connectionId }
      const page = await listAudit(ports, { caller, ...about, action, actor, requestId, from, to, cursor, limit })
      return { status: 200, body: listAnswer(page, auditAnswer) }
    },
  }),
]
