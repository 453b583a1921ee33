import { AuditPage, AuditQuery, type AuditEvent as EventDocument } from '../../../contract/control-plane/audit.ts'
import type { AuditEvent } from '../../shared/domain/audit.ts'
import type { Operation } from '../../shared/http/operation.ts'
import type { IdentityPorts } from '../domain/ports.ts'
import { readAudit } from '../flows/read-audit.ts'

export const auditOperations = (ports: IdentityPorts): Operation[] => [
  {
    method: 'get',
    path: '/audit',
    scope: 'audit:list',
    adminOnly: true,
    summary: 'List the changes in the workspace, newest first',
    query: AuditQuery,
    answers: { 200: AuditPage },
    handle: async ({ member, req }): Promise<AuditPage> => {
      const { cursor, limit } = AuditQuery.parse(req.query)
      const { data, meta } = await readAudit(ports, member, { cursor, limit })
      return { data: data.map(showEvent), meta }
    },
  },
]

const showEvent = (event: AuditEvent): EventDocument => ({
  time: event.at.toISOString(),
  action: event.action,
  actor: { kind: event.kind, id: event.id, name: event.label, credential: event.credential },
  resource: { kind: event.resourceKind, name: event.resourceName, id: event.resourceId },
  workspace: event.workspace ?? '',
  ...(event.requestId !== undefined && { requestId: event.requestId }),
  ...(event.address !== undefined && { address: event.address }),
})
