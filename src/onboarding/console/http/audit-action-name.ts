import { z } from 'zod'
import { auditActionNames } from '../../domain/audit/audit-actions.ts'
import { nearestAction } from '../../domain/audit/audit-entry.ts'

/** A name that was mistyped would find nothing and look like a clean record, so it is refused. */
export const AuditActionName = z.enum(auditActionNames, {
  error: ({ input }) =>
    typeof input === 'string' && input.length <= 100
      ? `is not an action of the audit; the nearest is ${nearestAction(input)}`
      : 'is not an action of the audit',
})
