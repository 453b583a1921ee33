import { z } from 'zod'
import { execute, type Queryable, rows, sql } from '../../../../kit/database/sql.ts'
import { deploymentChain } from '../../../domain/audit/audit-chain.ts'
import { auditRecordedEvent, optInEvent } from '../../../domain/tenant-event.ts'
import { sortableId } from '../../crypto/tokens.ts'

type Sealed = { chain: string; first: number; last: number }

const recordsPerEvent = 100

/** In the transaction that seals, so that each position is in one event. */
export async function announceSealed(transaction: Queryable, blocks: readonly Sealed[]): Promise<void> {
  const chains = [...new Set(blocks.map(({ chain }) => chain))].filter((chain) => chain !== deploymentChain)
  if (chains.length === 0) return
  const subscribed = sql`
    select distinct tenant from webhooks join tenants on tenants.id = webhooks.tenant
    where tenant = any(${chains}::text[]) and ${optInEvent} = any(events) and tenants.status not in ('deleting', 'deleted')`
  const tenants = new Set((await rows(transaction, TenantRow, subscribed)).map(({ tenant }) => tenant))
  const events = blocks.filter(({ chain }) => tenants.has(chain)).flatMap(eventsOf)
  if (events.length === 0) return
  await execute(transaction, sql`insert into outbox (id, tenant, event, payload) values ${sql.join(events)}`)
}

function eventsOf({ chain, first, last }: Sealed) {
  const count = Math.ceil((last - first + 1) / recordsPerEvent)
  return Array.from({ length: count }, (_, at) => {
    const start = first + at * recordsPerEvent
    const { name, payload } = auditRecordedEvent(start, Math.min(last, start + recordsPerEvent - 1))
    return sql`(${sortableId('evt')}, ${chain}, ${name}, ${JSON.stringify(payload)}::jsonb)`
  })
}

const TenantRow = z.object({ tenant: z.string() })
