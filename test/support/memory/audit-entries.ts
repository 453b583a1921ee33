// Entries for the record that tests hand to the ledger: which one it is matters to them, and what it is about.
import type { AuditEntry } from '../../../src/onboarding/domain/audit.ts'

type About = Pick<AuditEntry, 'tenant' | 'link' | 'connection' | 'after'>

export const auditEntry = (action: AuditEntry['action'], about: About = {}): AuditEntry => ({
  action,
  actor: { kind: 'operator', id: 'tests' },
  ...about,
})
