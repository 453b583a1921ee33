import { z } from 'zod'
import type { Flows } from '../../flows/flows.ts'
import { DeliveryAnswer, pageOf, SecretWebhookAnswer, WebhookAnswer } from './answer-schemas.ts'
import { deliveryAnswer, pageAnswer, webhookAnswer } from './answers.ts'
import { route } from './route.ts'
import { DeliveryListQuery, Id, MaybeReasonBody, WebhookBody } from './schemas.ts'

type Needs = Pick<
  Flows,
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
    refuses: ['webhook_limit'],
    handle: async ({ caller, actor, once, params: { id }, body: { url, events } }) => {
      const { webhook, secret } = await flows.createWebhook({ caller, actor, once, tenant: id, url, events })
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
    refuses: ['webhook_secret_limit'],
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
    refuses: ['webhook_disabled'],
    handle: async ({ caller, actor, params: { id, delivery }, body: { reason } }) => {
      const replayed = await flows.replayDelivery({ caller, actor, tenant: id, delivery, reason })
      return { status: 200, body: deliveryAnswer(replayed) }
    },
  }),
]
