import { z } from 'zod'
import { defaultEventNames, tenantEventNames } from '../../domain/tenant-event.ts'
import { type Webhook, webhookStatuses } from '../../domain/webhooks/webhook.ts'
import { route } from '../../http/route.ts'
import { Id, listAnswer, listOf, time } from '../../http/schemas.ts'
import {
  createWebhook,
  deleteWebhook,
  disableWebhook,
  enableWebhook,
  listWebhooks,
  rotateWebhookSecret,
} from '../flows/manage-webhooks.ts'

const exampleWebhook = {
  id: 'whk_06gxz2e6q0x4p8s3t7w1y5z9a2',
  tenantId: 'acme',
  url: 'https://hooks.acme.example/causeway',
  events: ['link.succeeded', 'link.failed'],
  status: 'active',
  createdAt: '2026-11-15T10:30:00.000Z',
  updatedAt: '2026-11-15T10:30:00.000Z',
}

const exampleSecret = 'whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD'

export const WebhookBody = z
  .strictObject({
    url: z
      .string()
      .max(2_000)
      .meta({ description: 'An https URL on the default port of a public host. Redirects are not followed.' }),
    events: z
      .array(z.enum(tenantEventNames))
      .min(1)
      .max(tenantEventNames.length)
      .refine((events) => new Set(events).size === events.length, 'must name each event once')
      .default(defaultEventNames)
      .meta({ description: 'The events to send. Defaults to all but `audit.recorded`.' }),
  })
  .meta({
    id: 'WebhookRequest',
    description: 'The URL and events of a webhook endpoint.',
    examples: [{ url: exampleWebhook.url, events: exampleWebhook.events }],
  })

const WebhookAnswer = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    url: z.string(),
    events: z.array(z.enum(tenantEventNames)),
    status: z.enum(webhookStatuses).meta({ description: '`disabled`: by you, or because the endpoint answered 410.' }),
    previousSecretExpiresAt: time.optional().meta({
      description: 'Present after a rotation. Until this time, messages are also signed with the previous secret.',
    }),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Webhook', description: 'A webhook endpoint of a tenant.', examples: [exampleWebhook] })

const CreatedWebhookAnswer = WebhookAnswer.extend({
  secret: z.string().meta({ description: 'Verifies the signature of messages (Standard Webhooks). Shown only once.' }),
}).meta({
  id: 'CreatedWebhook',
  description: 'The new webhook endpoint, with its secret.',
  examples: [{ ...exampleWebhook, secret: exampleSecret }],
})

const RotatedSecretAnswer = CreatedWebhookAnswer.extend({
  activeFrom: time.meta({ description: 'From this time on, messages are signed with `secret`.' }),
}).meta({
  id: 'WebhookWithNewSecret',
  description: 'The webhook endpoint, with its new secret.',
  examples: [
    {
      ...exampleWebhook,
      secret: exampleSecret,
      activeFrom: '2026-11-16T08:00:00.000Z',
      previousSecretExpiresAt: '2026-11-17T08:00:00.000Z',
      updatedAt: '2026-11-16T08:00:00.000Z',
    },
  ],
})

export const webhookAnswer = ({ previousSecretsExpireAt, ...webhook }: Webhook): z.input<typeof WebhookAnswer> => ({
  id: webhook.id,
  tenantId: webhook.tenant,
  url: webhook.url,
  events: webhook.events,
  status: webhook.status,
  ...(previousSecretsExpireAt.length > 0 && {
    previousSecretExpiresAt: previousSecretsExpireAt.at(-1)?.toISOString(),
  }),
  createdAt: webhook.createdAt.toISOString(),
  updatedAt: webhook.updatedAt.toISOString(),
})

const tag = 'Webhooks'
const params = { tenantId: Id, webhookId: Id }

export const webhookRoutes = [
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks',
    operationId: 'createWebhook',
    client: 'webhooks.create',
    clientNote: '`secret` of the response is shown only once.',
    summary: 'Create a webhook endpoint',
    description: "Events of the tenant's links and connections are sent to this URL.",
    tag,
    params: { tenantId: Id },
    body: WebhookBody,
    answers: { 201: CreatedWebhookAnswer },
    failures: ['webhook_limit', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ ports, caller, actor, claim, params: { tenantId: tenant }, body: { url, events } }) => {
      const { webhook, secret } = await createWebhook(ports, { caller, actor, claim, tenant, url, events })
      return { status: 201, body: { ...webhookAnswer(webhook), secret: secret.reveal() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{tenantId}/webhooks',
    operationId: 'listWebhooks',
    client: 'webhooks.list',
    summary: 'List webhook endpoints',
    description: 'Returns all webhook endpoints of the tenant (at most 10), without secrets.',
    tag,
    params: { tenantId: Id },
    answers: { 200: listOf(WebhookAnswer) },
    handle: async ({ ports, caller, params: { tenantId: tenant } }) => {
      return { status: 200, body: listAnswer({ data: await listWebhooks(ports, { caller, tenant }) }, webhookAnswer) }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{tenantId}/webhooks/{webhookId}',
    operationId: 'deleteWebhook',
    client: 'webhooks.delete',
    summary: 'Delete a webhook endpoint',
    description: 'Also deletes its deliveries, including pending ones.',
    tag,
    params,
    answers: { 204: undefined },
    handle: async ({ ports, caller, actor, params: { tenantId: tenant, webhookId: webhook } }) => {
      await deleteWebhook(ports, { caller, actor, tenant, webhook })
      return { status: 204 }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks/{webhookId}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    client: 'webhooks.rotateSecret',
    clientNote: 'Messages are also signed with the previous secret for one day.',
    summary: 'Rotate a webhook secret',
    description:
      'For a day, messages have a signature by each secret, so that you can switch at any time. Each further rotation during that day adds a signature.',
    tag,
    params,
    answers: { 200: RotatedSecretAnswer },
    failures: ['webhook_secret_limit'],
    handle: async ({ ports, caller, actor, params: { tenantId: tenant, webhookId } }) => {
      const { webhook, secret } = await rotateWebhookSecret(ports, { caller, actor, tenant, webhook: webhookId })
      const activeFrom = webhook.updatedAt.toISOString()
      return { status: 200, body: { ...webhookAnswer(webhook), secret: secret.reveal(), activeFrom } }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks/{webhookId}/enable',
    operationId: 'enableWebhook',
    client: 'webhooks.enable',
    clientNote: 'Enables an endpoint that was disabled, for example by a 410 response.',
    summary: 'Enable a webhook endpoint',
    description: 'Resumes sending events. Missed events can be replayed.',
    tag,
    params,
    answers: { 200: WebhookAnswer },
    handle: async ({ ports, caller, actor, params: { tenantId: tenant, webhookId: webhook } }) => {
      return { status: 200, body: webhookAnswer(await enableWebhook(ports, { caller, actor, tenant, webhook })) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks/{webhookId}/disable',
    operationId: 'disableWebhook',
    client: 'webhooks.disable',
    clientNote: 'Stops deliveries until the endpoint is enabled. Pending deliveries are not retried.',
    summary: 'Disable a webhook endpoint',
    description: 'Stops sending events. Pending deliveries are marked `dead`; they can be replayed after enabling.',
    tag,
    params,
    answers: { 200: WebhookAnswer },
    handle: async ({ ports, caller, actor, params: { tenantId: tenant, webhookId: webhook } }) => {
      return { status: 200, body: webhookAnswer(await disableWebhook(ports, { caller, actor, tenant, webhook })) }
    },
  }),
]
