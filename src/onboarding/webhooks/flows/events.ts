import type { Actor } from '../../domain/audit/audit.ts'
import { aboutTenant } from '../../domain/audit/audit-entry.ts'
import { Failure } from '../../domain/failure.ts'
import type { IdempotencyClaim, Page, RateLimits, Tokens } from '../../domain/ports/shared.ts'
import type { Tenants } from '../../domain/ports/tenants.ts'
import type { EventLog, EventQuery, LoggedEvent } from '../../domain/ports/webhooks.ts'
import type { Settings } from '../../domain/settings.ts'
import { assertActive, type Caller } from '../../domain/tenant.ts'
import type { TenantEventName } from '../../domain/tenant-event.ts'
import { sampleEvent } from '../../domain/test-mode/sample-event.ts'
import { isTestTenant } from '../../domain/test-mode/test-mode.ts'
import { limitRate } from '../../flows/limit-rate.ts'
import { readTenant } from '../../tenants/flows/manage-tenants.ts'

type Needs = { tenants: Tenants; eventLog: EventLog; tokens: Tokens; rates: RateLimits }

export const listEvents =
  (needs: Pick<Needs, 'tenants' | 'eventLog'>) =>
  async ({ caller, ...query }: EventQuery & { caller: Caller }): Promise<Page<LoggedEvent>> => {
    await readTenant(needs)({ caller, id: query.tenant })
    return needs.eventLog.list(query)
  }

export type TriggerEvent = {
  caller: Caller
  actor: Actor
  tenant: string
  type: TenantEventName
  claim: IdempotencyClaim | undefined
}

/** Tells the endpoints of a test tenant something that did not happen. No live tenant can be told such a thing. */
export const triggerEvent =
  (needs: Needs, settings: Pick<Settings, 'rates'>) =>
  async ({ caller, actor, tenant: id, type, claim }: TriggerEvent): Promise<LoggedEvent> => {
    assertActive(await readTenant(needs)({ caller, id }))
    if (!isTestTenant(id))
      throw new Failure('test_mode_only', 'Events can be triggered for tenants of test mode alone.')
    await limitRate(needs)(settings.rates.send, id)
    const event = { id: needs.tokens.id('evt', claim?.seed), ...sampleEvent(type, (prefix) => needs.tokens.id(prefix)) }
    const about = { action: 'event.triggered' as const, actor, ...aboutTenant(id) }
    return needs.eventLog.append(id, event, { ...about, facts: { eventId: event.id, eventType: type } })
  }
