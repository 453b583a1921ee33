import { z } from 'zod'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import { type Delivery, deliveryFailureReasons, deliveryStatuses } from '../../domain/webhooks/delivery.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, listAnswer, listOf, MaybeReasonBody, time } from '../../http/schemas.ts'
import { listDeliveries, replayDelivery } from '../flows/webhook-deliveries.ts'

const DeliveryListQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  webhookId: z.string().max(100).optional(),
  cursor: after(/^dlv_[\w-]{1,100}$/),
  limit,
})

const DeliveryAnswer = z
  .strictObject({
    id: z.string(),
    webhookId: z.string(),
    event: z.strictObject({
      id: z.string().meta({ description: 'The `webhook-id` header of the message. All attempts use the same ID.' }),
      type: z.enum(tenantEventNames),
      occurredAt: time,
    }),
    status: z.enum(deliveryStatuses).meta({ description: '`dead`: not retried, but can be replayed.' }),
    attempts: z.int(),
    responseStatus: z.int().optional().meta({ description: 'The HTTP status of the last response, if any.' }),
    failureReason: z.enum(deliveryFailureReasons).optional().meta({ description: 'Why the last attempt failed.' }),
    nextAttemptAt: time.optional(),
    deliveredAt: time.optional(),
    createdAt: time,
  })
  .meta({
    id: 'WebhookDelivery',
    description: 'The delivery of one event to one webhook endpoint.',
    examples: [
      {
        id: 'dlv_06gxz3f7r1y5q9t4v8x2z6a0b3',
        webhookId: 'whk_06gxz2e6q0x4p8s3t7w1y5z9a2',
        event: {
          id: 'evt_06gxz3f7r1y5q9t4v8x2z6a0b3',
          type: 'link.succeeded',
          occurredAt: '2026-11-15T11:00:00.000Z',
        },
        status: 'pending',
        attempts: 1,
        responseStatus: 500,
        failureReason: 'refused',
        nextAttemptAt: '2026-11-15T11:00:06.000Z',
        createdAt: '2026-11-15T11:00:00.000Z',
      },
    ],
  })

const deliveryAnswer = ({ event, ...delivery }: Delivery): z.input<typeof DeliveryAnswer> => ({
  id: delivery.id,
  webhookId: delivery.webhook,
  event: { id: event.id, type: event.name, occurredAt: event.occurredAt.toISOString() },
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.responseStatus !== undefined && { responseStatus: delivery.responseStatus }),
  ...(delivery.failureReason && { failureReason: delivery.failureReason }),
  ...(delivery.nextAttemptAt && { nextAttemptAt: delivery.nextAttemptAt.toISOString() }),
  ...(delivery.deliveredAt && { deliveredAt: delivery.deliveredAt.toISOString() }),
  createdAt: delivery.createdAt.toISOString(),
})

const tag = 'Webhooks'

export const webhookDeliveryRoutes = [
  route({
    method: 'get',
    path: '/tenants/{tenantId}/webhook-deliveries',
    operationId: 'listWebhookDeliveries',
    client: 'webhooks.listDeliveries',
    summary: 'List webhook deliveries',
    description: 'Returns deliveries of the last 30 days, newest first.',
    tag,
    params: { tenantId: Id },
    query: DeliveryListQuery,
    answers: { 200: listOf(DeliveryAnswer) },
    handle: async ({ ports, caller, params: { tenantId: tenant }, query: { status, webhookId, cursor, limit } }) => {
      const page = await listDeliveries(ports, { caller, tenant, status, webhook: webhookId, cursor, limit })
      return { status: 200, body: listAnswer(page, deliveryAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhook-deliveries/{deliveryId}/replay',
    operationId: 'replayWebhookDelivery',
    client: 'webhooks.replayDelivery',
    summary: 'Replay a webhook delivery',
    description: 'Sends the message again with the same `webhook-id` and a new series of retries.',
    tag,
    params: { tenantId: Id, deliveryId: Id },
    body: MaybeReasonBody,
    answers: { 200: DeliveryAnswer },
    failures: ['webhook_disabled'],
    handle: async ({ ports, settings, caller, actor, params: { tenantId: tenant, deliveryId }, body: { reason } }) => {
      const replayed = await replayDelivery(ports, settings, { caller, actor, tenant, delivery: deliveryId, reason })
      return { status: 200, body: deliveryAnswer(replayed) }
    },
  }),
]
