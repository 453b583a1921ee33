import type { TenantEvent } from '../../../src/onboarding/domain/tenant-event.ts'
import type { Store } from './tables.ts'

/** Waits until it has been turned into one delivery for each webhook that wants it. */
export function announce(
  { tables, now }: Store,
  tenant: string,
  { id, name, payload, traceparent }: TenantEvent,
): void {
  tables.outbox.set(id, { id, tenant, name, payload, traceparent, occurredAt: now(), dueAt: now() })
}
