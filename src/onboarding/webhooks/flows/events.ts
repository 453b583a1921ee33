import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { Failure } from '../../domain/failure.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import type { IdempotencyClaim, Page } from '../../domain/ports/shared.ts'
import type { EventQuery, LoggedEvent } from '../../domain/ports/webhooks.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import { sampleEvent } from '../../domain/test-mode/sample-event.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { withRecords } from './audit-messages.ts'

export async function listEvents(
  ports: Ports,
  { caller, ...query }: EventQuery & { caller: Caller },
): Promise<Page<LoggedEvent>> {
  await readTenant(ports, { caller, id: query.tenant })
  const page = await ports.eventLog.list(query)
  return { ...page, data: await withRecords(ports, query.tenant, page.data) }
}

type TriggerEvent = {
  caller: Caller
  actor: Actor
  tenant: string
  type: TenantEventName
  claim: IdempotencyClaim | undefined
}

export async function triggerEvent(
  ports: Ports,
  settings: Settings,
  { caller, actor, tenant: id, type, claim }: TriggerEvent,
): Promise<LoggedEvent> {
  assertActive(await readTenant(ports, { caller, id }))
  if (!isTestTenant(id)) throw new Failure('test_mode_only', 'Events can only be triggered for test tenants.')
  await limitRate(ports, settings.rates.send, id)
  const event = { id: ports.tokens.id('evt', claim?.seed), ...sampleEvent(type, (prefix) => ports.tokens.id(prefix)) }
  const about = { action: 'event.triggered' as const, actor, ...aboutTenant(id) }
  return ports.eventLog.append(id, event, { ...about, facts: { eventId: event.id, eventType: type } })
}
