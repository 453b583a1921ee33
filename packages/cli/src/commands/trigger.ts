import type { WebhookEvent } from '@causeway/client'
import { closestWord } from '../closest-word.ts'
import { type Command, UsageError } from '../command.ts'
import { openClient } from '../credentials.ts'
import { printOne } from '../print.ts'
import { tenantOf } from '../tenant.ts'

/** A record, so that a missing event type does not compile. */
const types: Record<WebhookEvent['type'], true> = {
  'link.succeeded': true,
  'link.failed': true,
  'connection.relinked': true,
  'connection.needs_relink': true,
  'connection.health_unknown': true,
  'connection.grant_ends_soon': true,
  'connection.tools_changed': true,
  'connection.approval_requested': true,
  'connection.approval_decided': true,
  'connection.disconnected': true,
  'end_user.erased': true,
  'tenant.deleted': true,
  'audit.recorded': true,
}

const eventTypes = Object.keys(types) as Array<WebhookEvent['type']>

export const trigger: Command = {
  name: 'trigger',
  summary: "Send a sample event to a test tenant's webhooks.",
  arguments: ['EVENT'],
  choices: eventTypes,
  options: {
    tenant: { type: 'string', value: 'ID', summary: 'The test tenant. Required if your key can read several.' },
  },
  async run(given, terminal) {
    const type = eventTypes.find((each) => each === given.arguments[0])
    if (!type) throw new UsageError(unknownEvent(given.arguments[0] ?? ''))
    const client = openClient(terminal)
    const tenantId = await tenantOf(client, given.text('tenant'))
    printOne(await client.events.trigger(tenantId, { type }), given, terminal)
  },
}

function unknownEvent(typed: string): string {
  const closest = closestWord(typed, eventTypes)
  const hint = closest === undefined ? '' : ` Did you mean ${closest}?`
  return `Unknown event “${typed}”.${hint} Choose one of ${eventTypes.join(', ')}.`
}
