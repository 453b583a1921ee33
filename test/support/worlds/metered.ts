// Usage records as the gateway writes them.
import type pg from 'pg'
import type { BillingDimension } from '../../../src/contract/billing/metrics.ts'
import { billingDimensions } from '../../../src/contract/billing/metrics.ts'
import type { UsageEvent, UsageSpool } from '../../../src/platform/shared/domain/usage.ts'
import { postgresUsage } from '../../../src/platform/shared/postgres/usage-events.ts'
import { loopReports } from '../doubles/loop-reports.ts'

let counter = 0

export type Use = {
  at: string | Date
  dimension?: BillingDimension
  quantity?: number
  workspace?: string
  name?: string
  uuid?: string
  eventId?: string
}

/** Zero duration, so that it counts at its timestamp. */
export function used({ at, dimension = 'agent_compute_runtime_gbs', ...rest }: Use): UsageEvent {
  const { quantity = 1, workspace = 'acme', name = 'bot', uuid = `${workspace}-${name}`, eventId } = rest
  return {
    eventId: eventId ?? `event-${counter++}`,
    workspace,
    resourceType: billingDimensions[dimension].resourceType,
    resourceName: name,
    resourceUuid: uuid,
    dimension,
    quantity,
    startedAt: new Date(at),
    endedAt: new Date(at),
  }
}

export async function meter(pool: pg.Pool, events: readonly UsageEvent[]): Promise<void> {
  const usage = postgresUsage(pool, memorySpool(), loopReports())
  for (const event of events) usage.record(event)
  await usage.close()
}

export const oneDollarEach = (Object.keys(billingDimensions) as BillingDimension[]).map((dimension) => ({
  dimension,
  usdPerUnit: '1',
  effectiveFrom: '1970-01-01',
}))

function memorySpool(): UsageSpool {
  let notes: string[] = []
  return {
    add: (note) => void notes.push(note),
    take() {
      const taken = notes
      notes = []
      return taken.length > 0 ? { notes: taken, remove: async () => {}, abandon: () => {} } : undefined
    },
    abandoned: async () => [],
  }
}
