import { List, type ListQuery } from '../lists.ts'
import type { CallOptions, Send } from '../transport.ts'
import type { Body } from '../types.ts'
import { verifyWebhook } from '../webhook-messages.ts'

/** Webhook endpoints of a tenant, and what was delivered to them. */
export const webhooks = (send: Send) => ({
  verify: verifyWebhook,

  /** Keep `secret` of the answer: it is shown only once. */
  create: (tenantId: string, body: Body<'createWebhook'>, options?: CallOptions) =>
    send('createWebhook', { params: { tenantId }, body }, options),

  list: (tenantId: string, options?: CallOptions) => new List(send, 'listWebhooks', { params: { tenantId } }, options),

  delete: (tenantId: string, webhookId: string, options?: CallOptions) =>
    send('deleteWebhook', { params: { tenantId, webhookId } }, options),

  /** For a day messages are also signed with the previous secret. */
  rotateSecret: (tenantId: string, webhookId: string, options?: CallOptions) =>
    send('rotateWebhookSecret', { params: { tenantId, webhookId } }, options),

  /** After it answered 410: events are sent to it again. */
  enable: (tenantId: string, webhookId: string, options?: CallOptions) =>
    send('enableWebhook', { params: { tenantId, webhookId } }, options),

  /** Nothing is sent to it until it is enabled; pending deliveries are given up. */
  disable: (tenantId: string, webhookId: string, options?: CallOptions) =>
    send('disableWebhook', { params: { tenantId, webhookId } }, options),

  listDeliveries: (tenantId: string, query?: ListQuery<'listWebhookDeliveries'>, options?: CallOptions) =>
    new List(send, 'listWebhookDeliveries', { params: { tenantId }, query }, options),

  /** Sends a message again. */
  replayDelivery: (
    tenantId: string,
    deliveryId: string,
    body: Body<'replayWebhookDelivery'> = {},
    options?: CallOptions,
  ) => send('replayWebhookDelivery', { params: { tenantId, deliveryId }, body }, options),
})
