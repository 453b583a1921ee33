import { z } from 'zod'
import { eventOrders, type LoggedEvent } from '../../domain/ports/webhooks.ts'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import { messageData } from '../../domain/webhooks/delivery.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf, time } from '../../http/schemas.ts'
import { listEvents, triggerEvent } from '../flows/events.ts'

const EventType = z.enum(tenantEventNames).meta({ id: 'EventType', description: 'What happened.' })

const exampleEvent = {
  id: 'evt_06gxz3f7r1y5q9t4v8x2z6a0b3',
  cursor: '748213.evt_06gxz3f7r1y5q9t4v8x2z6a0b3',
  type: 'connection.disconnected',
  timestamp: '2026-11-15T11:00:00.000Z',
  data: {
    tenantId: 'acme',
    connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
    integrationId: 'gmail',
    endUser: { id: 'user-42' },
  },
}

const EventAnswer = z
  .strictObject({
    id: z.string().meta({ description: 'The `webhook-id` header of the webhook message.' }),
    cursor: z.string().meta({ description: 'Send it as `cursor` to get the events after this one.' }),
    type: EventType,
    timestamp: time.meta({ description: 'When the event happened.' }),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The `data` of the webhook message; its members depend on `type`.' }),
  })
  .meta({ id: 'Event', description: 'An event of a tenant.', examples: [exampleEvent] })

const TriggerBody = z.strictObject({ type: EventType }).meta({
  id: 'EventRequest',
  description: 'The event to trigger.',
  examples: [{ type: 'link.succeeded' }],
})

const eventAnswer =
  (tenant: string) =>
  (event: LoggedEvent): z.input<typeof EventAnswer> => ({
    id: event.id,
    cursor: event.cursor,
    type: event.name,
    timestamp: event.occurredAt.toISOString(),
    data: messageData(tenant, event),
  })

const tag = 'Webhooks'
const params = { tenantId: Id }

export const eventRoutes = [
  route({
    method: 'get',
    path: '/tenants/{tenantId}/events',
    operationId: 'listEvents',
    client: 'events.list',
    clientNote: 'Oldest first. `pages` of the list continues after the `cursor` of an event.',
    summary: 'List events',
    description:
      'Returns all events of the last 30 days, whether or not they were sent to a webhook endpoint. To process each event exactly once, continue from the `cursor` of the last event that you handled.',
    tag,
    params,
    query: z.strictObject({
      order: z.enum(eventOrders).default('oldest').meta({ description: 'The order of the events.' }),
      cursor: after(/^\d{1,19}\.evt_[\w-]{1,100}$/),
      limit,
    }),
    answers: { 200: listOf(EventAnswer) },
    handle: async ({ ports, caller, params: { tenantId: tenant }, query: { order, cursor, limit } }) => {
      const page = await listEvents(ports, { caller, tenant, order, cursor, limit })
      return { status: 200, body: listAnswer(page, eventAnswer(tenant)) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/events',
    operationId: 'triggerEvent',
    client: 'events.trigger',
    clientNote: 'Creates an event with sample data. Test mode only.',
    summary: 'Trigger an event',
    description:
      "Creates an event with sample data in test mode. It is listed and sent to webhook endpoints like other events. Its IDs don't exist.",
    tag,
    params,
    body: TriggerBody,
    answers: { 201: EventAnswer },
    failures: ['test_mode_only', 'tenant_deleted'],
    handle: async ({ ports, settings, caller, actor, claim, params: { tenantId: tenant }, body: { type } }) => {
      const event = await triggerEvent(ports, settings, { caller, actor, tenant, type, claim })
      return { status: 201, body: eventAnswer(tenant)(event) }
    },
  }),
]
