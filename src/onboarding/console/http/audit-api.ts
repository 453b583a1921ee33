import { z } from 'zod'
import type { AuditLine } from '../../domain/ports/support-ledger.ts'
import { route } from '../../http/route.ts'
import { after, limit, pageAnswer, pageOf, TenantId, time } from '../../http/schemas.ts'
import type { AuditFlows } from '../flows/console-flows.ts'

const instant = z.iso
  .datetime({ error: 'must be a time such as 2026-11-15T08:00:00Z' })
  .transform((text) => new Date(text))
  .optional()

export const AuditListQuery = z.strictObject({
  tenant: TenantId.optional(),
  action: z.string().max(100).optional(),
  connection: z.string().max(100).optional(),
  link: z.string().max(100).optional(),
  actor: z.string().max(200).optional(),
  requestId: z.string().max(100).optional(),
  from: instant,
  to: instant,
  cursor: after(/^\d{1,18}$/),
  limit,
})

export const AuditAnswer = z.strictObject({
  id: z.string(),
  at: time,
  action: z.string(),
  actor: z.strictObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional() }),
  tenant: z.string().optional(),
  link: z.string().optional(),
  connection: z.string().optional(),
  reason: z.string().optional(),
  requestId: z.string().optional(),
  before: z.record(z.string(), z.unknown()).optional(),
  after: z.record(z.string(), z.unknown()).optional(),
})

/** Without the address somebody came from: that is for the deployment's own people. */
export const auditAnswer = (line: AuditLine): z.input<typeof AuditAnswer> => ({
  id: String(line.id),
  at: line.at.toISOString(),
  action: line.action,
  actor: {
    kind: line.actor.kind,
    ...(line.actor.id && { id: line.actor.id }),
    ...(line.actor.name && { name: line.actor.name }),
  },
  ...(line.tenant && { tenant: line.tenant }),
  ...(line.link && { link: line.link }),
  ...(line.connection && { connection: line.connection }),
  ...(line.reason && { reason: line.reason }),
  ...(line.requestId && { requestId: line.requestId }),
  ...(line.before && { before: line.before }),
  ...(line.after && { after: line.after }),
})

export const auditRoutes = ({ flows }: { flows: Pick<AuditFlows, 'listAudit'> }) => [
  route({
    method: 'get',
    path: '/audit',
    name: 'listAudit',
    summary: 'List who did what, newest first',
    tag: 'Audit',
    query: AuditListQuery,
    answers: { 200: pageOf(AuditAnswer) },
    handle: async ({ caller, query }) => {
      const { tenant, action, connection, link, actor, requestId, from, to, cursor, limit } = query
      const filter = { tenant, action, connection, link, actor, requestId, from, to }
      return { status: 200, body: pageAnswer(await flows.listAudit({ caller, ...filter, cursor, limit }), auditAnswer) }
    },
  }),
]
