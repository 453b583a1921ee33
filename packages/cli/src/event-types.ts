import type { WebhookEvent } from '@causeway/client'

/** Every event there is; one that is missing here does not compile. */
const types: Record<WebhookEvent['type'], true> = {
  'link.succeeded': true,
  'link.failed': true,
  'connection.relinked': true,
  'connection.needs_relink': true,
  'connection.health_unknown': true,
  'connection.grant_ends_soon': true,
  'connection.tools_changed': true,
  'connection.disconnected': true,
  'end_user.erased': true,
  'tenant.deleted': true,
}

export const eventTypes = Object.keys(types) as Array<WebhookEvent['type']>
