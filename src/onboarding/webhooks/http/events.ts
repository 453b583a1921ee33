import { z } from 'zod'
import { eventOrders, type LoggedEvent } from '../../domain/ports/webhooks.ts'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import { messageData } from '../../domain/webhooks/delivery.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf, time } from '../../http/schemas.ts'
import type { WebhookFlows } from '../flows/webhook-flows.ts'

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
    id: z.string().meta({ description: 'The `webhook-id` header of the message to webhook endpoints.' }),
    cursor: z.string().meta({ description: 'Send it as `cursor` to get the events behind this one.' }),
    type: EventType,
    timestamp: time.meta({ description: 'When it happened.' }),
    data: z
      .record(z.string(), z.unknown())
      .meta({ description: 'The same as in the message to webhook endpoints, by `type`.' }),
  })
  .meta({ id: 'Event', description: 'Something that a tenant is told about.', examples: [exampleEvent] })

const TriggerBody = z.strictObject({ type: EventType }).meta({
  id: 'EventRequest',
  description: 'Which event to make up.',
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

export const eventRoutes = (flows: Pick<WebhookFlows, 'listEvents' | 'triggerEvent'>) => [
  route({
    method: 'get',
    path: '/tenants/{tenantId}/events',
    operationId: 'listEvents',
    summary: 'List events',
    description:
      'Whatever webhook endpoints are told, whether or not there is one, for thirty days. Continue from the `cursor` of the last event that you handled: you miss none and get none twice.',
    tag,
    params,
    query: z.strictObject({
      order: z.enum(eventOrders).default('oldest').meta({ description: 'Which of them come first.' }),
      cursor: after(/^\d{1,19}\.evt_[\w-]{1,100}$/),
      limit,
    }),
    answers: { 200: listOf(EventAnswer) },
    handle: async ({ caller, params: { tenantId: tenant }, query: { order, cursor, limit } }) => {
      const page = await flows.listEvents({ caller, tenant, order, cursor, limit })
      return { status: 200, body: listAnswer(page, eventAnswer(tenant)) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/events',
    operationId: 'triggerEvent',
    summary: 'Trigger an event',
    description:
      'Only in test mode: an event with sample data, which is listed and sent to webhook endpoints like any other. Its ids lead to nothing.',
    tag,
    params,
    body: TriggerBody,
    answers: { 201: EventAnswer },
    failures: ['test_mode_only', 'tenant_deleted'],
    handle: async ({ caller, actor, claim, params: { tenantId: tenant }, body: { type } }) => {
      const event = await flows.triggerEvent({ caller, actor, tenant, type, claim })
      return { status: 201, body: eventAnswer(tenant)(event) }
    },
  }),
]
