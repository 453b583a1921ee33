import type { TenantEvent } from '../../../src/onboarding/domain/tenant-event.ts'
import type { Store } from './tables.ts'

export function announce(
  { tables, now }: Store,
  tenant: string,
  { id, name, payload, traceparent }: TenantEvent,
): void {
  const written = ([...tables.outbox.values()].at(-1)?.written ?? 0) + 1
  tables.outbox.set(id, { id, tenant, name, payload, traceparent, occurredAt: now(), dueAt: now(), written })
}
