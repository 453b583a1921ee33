import type { Snapshot } from '../../../src/onboarding/domain/audit/audit.ts'
import type { AuditAction } from '../../../src/onboarding/domain/audit/audit-actions.ts'
import type { EntryOf } from '../../../src/onboarding/domain/audit/audit-entry.ts'

type About = { tenant?: string; link?: string; connection?: string; after?: Snapshot }

export const auditEntry = <Action extends AuditAction>(action: Action, about: About = {}): EntryOf<Action> =>
  ({
    action,
    actor: { kind: 'operator', id: 'tests' },
    subject: { kind: 'tenant', id: 'acme' },
    facts: {},
    ...about,
  }) as unknown as EntryOf<Action>
