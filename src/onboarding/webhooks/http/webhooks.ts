import { z } from 'zod'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import {
  type Delivery,
  deliveryStatuses,
  deliveryTroubles,
  type Webhook,
  webhookStatuses,
} from '../../domain/webhook.ts'
import { route } from '../../http/route.ts'
import { after, Id, limit, MaybeReasonBody, pageAnswer, pageOf, time } from '../../http/schemas.ts'
import type { WebhookFlows } from '../flows/webhook-flows.ts'

export const WebhookBody = z.strictObject({
  url: z.string().max(2_000),
  events: z
    .array(z.enum(tenantEventNames))
    .min(1)
    .max(tenantEventNames.length)
    .refine((events) => new Set(events).size === events.length, 'must name each event once')
    .default([...tenantEventNames]),
})

export const DeliveryListQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  webhook: z.string().max(100).optional(),
  cursor: after(/^dlv_[\w-]{1,100}$/),
  limit,
})

export const WebhookAnswer = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  url: z.string(),
  events: z.array(z.enum(tenantEventNames)),
  status: z.enum(webhookStatuses).meta({ description: 'A receiver that answers 410 is disabled.' }),
  previousSecretUntil: time.optional().meta({
    description:
      'Until then messages also carry a signature by the secret before this one; those before it end earlier.',
  }),
  createdAt: time,
  updatedAt: time,
})

export const SecretWebhookAnswer = WebhookAnswer.extend({
  secret: z.string().meta({ description: 'Verifies the signature of messages (Standard Webhooks). Shown this once.' }),
})

export const DeliveryAnswer = z.strictObject({
  id: z.string(),
  webhook: z.string(),
  event: z.strictObject({
    id: z.string().meta({ description: 'What a receiver sees as webhook-id: the same in every try.' }),
    type: z.enum(tenantEventNames),
    at: time,
  }),
  status: z.enum(deliveryStatuses),
  attempts: z.int(),
  answeredStatus: z.int().optional(),
  trouble: z.enum(deliveryTroubles).optional(),
  nextTryAt: time.optional(),
  deliveredAt: time.optional(),
  createdAt: time,
})

export const webhookAnswer = ({ earlierSecretsUntil, ...webhook }: Webhook): z.input<typeof WebhookAnswer> => ({
  id: webhook.id,
  tenant: webhook.tenant,
  url: webhook.url,
  events: webhook.events,
  status: webhook.status,
  ...(earlierSecretsUntil.length > 0 && { previousSecretUntil: earlierSecretsUntil.at(-1)?.toISOString() }),
  createdAt: webhook.createdAt.toISOString(),
  updatedAt: webhook.updatedAt.toISOString(),
})

export const deliveryAnswer = ({ event, ...delivery }: Delivery): z.input<typeof DeliveryAnswer> => ({
  id: delivery.id,
  webhook: delivery.webhook,
  event: { id: event.id, type: event.name, at: event.at.toISOString() },
  status: delivery.status,
  attempts: delivery.attempts,
  ...(delivery.answeredStatus !== undefined && { answeredStatus: delivery.answeredStatus }),
  ...(delivery.trouble && { trouble: delivery.trouble }),
  ...(delivery.nextTryAt && { nextTryAt: delivery.nextTryAt.toISOString() }),
  ...(delivery.deliveredAt && { deliveredAt: delivery.deliveredAt.toISOString() }),
  createdAt: delivery.createdAt.toISOString(),
})

type Needs = Pick<
  WebhookFlows,
  | 'createWebhook'
  | 'listWebhooks'
  | 'deleteWebhook'
  | 'rotateWebhookSecret'
  | 'enableWebhook'
  | 'listDeliveries'
  | 'replayDelivery'
>

const tag = 'Webhooks'

const one = { id: Id, webhook: Id }

export const webhookRoutes = (flows: Needs) => [
  route({
    method: 'post',
    path: '/tenants/{id}/webhooks',
    name: 'createWebhook',
    summary: 'Tell a receiver of the tenant what happens',
    tag,
    params: { id: Id },
    body: WebhookBody,
    answers: { 201: SecretWebhookAnswer },
    failures: ['webhook_limit'],
    handle: async ({ caller, actor, claim, params: { id }, body: { url, events } }) => {
      const { webhook, secret } = await flows.createWebhook({ caller, actor, claim, tenant: id, url, events })
      return { status: 201, body: { ...webhookAnswer(webhook), secret: secret.reveal() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{id}/webhooks',
    name: 'listWebhooks',
    summary: "List a tenant's webhooks",
    tag,
    params: { id: Id },
    answers: { 200: z.strictObject({ data: z.array(WebhookAnswer) }) },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: { data: (await flows.listWebhooks({ caller, tenant: id })).map(webhookAnswer) } }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{id}/webhooks/{webhook}',
    name: 'deleteWebhook',
    summary: 'Delete a webhook, with all that is on its way there',
    tag,
    params: one,
    answers: { 204: undefined },
    handle: async ({ caller, actor, params: { id, webhook } }) => {
      await flows.deleteWebhook({ caller, actor, tenant: id, webhook })
      return { status: 204 }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{id}/webhooks/{webhook}/rotate-secret',
    name: 'rotateWebhookSecret',
    summary: 'Make a new secret; the one so far signs as well for a day, as do those before it',
    tag,
    params: one,
    answers: { 200: SecretWebhookAnswer },
    failures: ['webhook_secret_limit'],
    handle: async ({ caller, actor, params: { id, webhook: webhookId } }) => {
      const rotated = await flows.rotateWebhookSecret({ caller, actor, tenant: id, webhook: webhookId })
      return { status: 200, body: { ...webhookAnswer(rotated.webhook), secret: rotated.secret.reveal() } }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{id}/webhooks/{webhook}/enable',
    name: 'enableWebhook',
    summary: 'Tell a disabled receiver again; what it missed can be replayed',
    tag,
    params: one,
    answers: { 200: WebhookAnswer },
    handle: async ({ caller, actor, params: { id, webhook } }) => {
      return { status: 200, body: webhookAnswer(await flows.enableWebhook({ caller, actor, tenant: id, webhook })) }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{id}/webhook-deliveries',
    name: 'listWebhookDeliveries',
    summary: 'List what was sent to the receivers of a tenant, newest first',
    tag,
    params: { id: Id },
    query: DeliveryListQuery,
    answers: { 200: pageOf(DeliveryAnswer) },
    handle: async ({ caller, params: { id }, query: { status, webhook, cursor, limit } }) => {
      const page = await flows.listDeliveries({ caller, tenant: id, status, webhook, cursor, limit })
      return { status: 200, body: pageAnswer(page, deliveryAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{id}/webhook-deliveries/{delivery}/replay',
    name: 'replayWebhookDelivery',
    summary: 'Send a message again, from the first try',
    tag,
    params: { id: Id, delivery: Id },
    body: MaybeReasonBody,
    answers: { 200: DeliveryAnswer },
    failures: ['webhook_disabled'],
    handle: async ({ caller, actor, params: { id, delivery }, body: { reason } }) => {
      const replayed = await flows.replayDelivery({ caller, actor, tenant: id, delivery, reason })
      return { status: 200, body: deliveryAnswer(replayed) }
    },
  }),
]
