// A ledger with a movable clock and access to its records.
import type { Snapshot } from '../../../src/onboarding/domain/audit/audit.ts'
import type { OutsideCall } from '../../../src/onboarding/domain/trace/outside-call.ts'
import { type Builders, builders } from '../../support/memory/builders.ts'
import { type MemoryLedger, openMemoryLedger } from '../../support/memory/ledger.ts'

export type NotedAction = {
  action: string
  tenant: string | undefined
  link: string | undefined
  connection: string | undefined
  facts: object | undefined
  before: Snapshot | undefined
  after: Snapshot | undefined
}

export type Ledger = Omit<MemoryLedger, 'tables' | 'clock'> &
  Builders & {
    pass(seconds: number): Promise<void>
    /** Audit entries, oldest first. */
    noted(): Promise<NotedAction[]>
    /** Events, oldest first. */
    events(): Promise<Array<{ id: string; tenant: string; name: string }>>
    /** External calls of a link, oldest first. */
    callsOf(linkId: string): Promise<readonly OutsideCall[]>
  }

export function memoryLedger(): Ledger {
  const ledger = openMemoryLedger()
  const { audit, outbox, links } = ledger.tables
  return {
    ...ledger,
    ...builders(ledger),
    pass: async (seconds) => ledger.clock.pass(seconds),
    noted: async () =>
      audit.map(({ entry: { action, tenant, link, connection, facts, before, after } }) => ({
        action,
        tenant,
        link,
        connection,
        facts,
        before,
        after,
      })),
    events: async () => [...outbox.values()].map(({ id, tenant, name }) => ({ id, tenant, name })),
    callsOf: async (linkId) => links.get(linkId)?.calls ?? [],
  }
}
