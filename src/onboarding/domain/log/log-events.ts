// The events of this program's log. docs/reference/log-events.md says what each means; a test compares.
import { kitEvents, type LogEvents } from '../../../kit/process/log-events.ts'

export const onboardingEvents = {
  ...kitEvents,
  'link.opened': ['info', 'a link was opened'],
  'link.moved': ['info', 'a link moved'],
  'link.ended': ['info', 'a link ended'],
  'link.needs_attention': ['warn', 'a link needs attention'],
  'link.retry_scheduled': ['warn', 'a step of a link failed and is tried again'],
  'link.resumed': ['info', 'a link that waited was resumed'],
  'link.taken_over': ['warn', 'a link was taken over from a worker that is gone'],
  'link.lost': ['info', 'a link is another worker’s by now'],
  'call.failed': ['warn', 'a call to another server failed'],
  'health.checked': ['debug', 'a connection was checked'],
  'connection.broken': ['warn', 'a check found a connection broken'],
  'connection.health_unknown': ['warn', 'checks cannot tell any more whether a connection works'],
  'task.opened': ['info', 'a task was opened'],
  'task.moved': ['info', 'a task moved'],
  'task.ended': ['info', 'a task ended'],
  'task.failed': ['warn', 'a task failed'],
  'task.retry_scheduled': ['warn', 'a step of a task failed and is tried again'],
  'tenant_deletion.moved': ['info', 'the deletion of a tenant moved'],
  'delivery.delivered': ['info', 'a webhook message was delivered'],
  'delivery.retry_scheduled': ['warn', 'a webhook message was not taken and is sent again'],
  'delivery.dead': ['warn', 'a webhook message was given up'],
  'api_key.exposed': ['warn', 'an API key was sent in an address and counts as leaked: replace it'],
  'idempotency.unstored': ['warn', 'the end of a request was not stored for its Idempotency-Key'],
  'integration.address_blocked': ['warn', 'an address of an integration is private or has no TLS, and is not called'],
  'integration.grants_untested': [
    'warn',
    'no check tries the grants of an integration, so one that dies is not noticed',
  ],
  'integration.misregistered': ['warn', 'the OAuth app of an integration is not registered as it is used'],
  'integration.unproven': ['warn', 'the profile of an integration is known from one source alone'],
  'platform.not_ready': ['warn', 'the platform cannot be used; links wait and continue by themselves'],
  'platform.incomplete': ['warn', 'the platform lacks something that links need'],
  'redis.absent': ['warn', 'no Redis: links under way are kept in this process and lost when it ends'],
  'redis.eviction_unknown': ['warn', 'Redis does not say whether it evicts keys; it must not'],
  'request.unexpected': ['error', 'a request met a fault of ours'],
  'store.unavailable': ['warn', 'a store did not answer'],
} as const satisfies LogEvents

export type OnboardingEvent = keyof typeof onboardingEvents
