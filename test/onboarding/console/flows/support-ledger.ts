import type { AuditLine, SupportLedger } from '../../../../src/onboarding/domain/ports/support-ledger.ts'

const none = async () => ({ data: [], nextCursor: undefined })

/** What support looks at when there is nothing to see; a test replaces what it wants to be there. */
export const emptySupportLedger = (): SupportLedger => ({
  problems: async () => [],
  retries: async () => [],
  linksByDay: async () => [],
  healthByDay: async () => [],
  backlogs: async () => ({
    oldestDueLink: undefined,
    oldestDueTask: undefined,
    oldestDueCheck: undefined,
    waitingDeliveries: 0,
    oldestDueDelivery: undefined,
    deadDeliveries: 0,
    disabledWebhooks: 0,
  }),
  search: async () => ({ people: [], connections: [], links: [], tenants: [], record: [] }),
  connections: none,
  links: none,
  person: async () => undefined,
  tenantFigures: async () => ({ connections: 0, broken: 0, linked: 0, failed: 0 }),
  integrationsInUse: async () => [],
  tenantsByName: async () => [],
  tenantNames: async () => new Map(),
  endUsers: async () => new Map(),
  timelines: async () => [],
  timeline: async () => [],
  outsideCalls: async () => new Map(),
  health: async () => [],
  grants: async () => [],
  openAddresses: async () => [],
  lastTask: async () => undefined,
  deliveries: none,
  receivers: async () => [],
  audit: none,
})

export const auditLine = (id: number, about: { tenant?: string; connection?: string | undefined } = {}): AuditLine =>
  ({ id, at: new Date(0), action: 'connection.checked', actor: { kind: 'support' }, ...about }) as AuditLine
