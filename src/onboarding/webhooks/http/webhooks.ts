import { z } from 'zod'
import { tenantEventNames } from '../../domain/tenant-event.ts'
import { type Webhook, webhookStatuses } from '../../domain/webhooks/webhook.ts'
import { route } from '../../http/route.ts'
import { Id, listAnswer, listOf, time } from '../../http/schemas.ts'
import type { WebhookFlows } from '../flows/webhook-flows.ts'

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
      .meta({ description: 'https, on the default port of a public host. Redirects are not followed.' }),
    events: z
      .array(z.enum(tenantEventNames))
      .min(1)
      .max(tenantEventNames.length)
      .refine((events) => new Set(events).size === events.length, 'must name each event once')
      .default([...tenantEventNames])
      .meta({ description: 'Which events are sent. All of them by default.' }),
  })
  .meta({
    id: 'WebhookRequest',
    description: 'Where events are sent to, and which.',
    examples: [{ url: exampleWebhook.url, events: exampleWebhook.events }],
  })

const WebhookAnswer = z
  .strictObject({
    id: z.string(),
    tenantId: z.string(),
    url: z.string(),
    events: z.array(z.enum(tenantEventNames)),
    status: z
      .enum(webhookStatuses)
      .meta({ description: 'An endpoint that answers 410 is disabled, and so is one that you disable.' }),
    previousSecretExpiresAt: time.optional().meta({
      description: 'Present after a rotation: until then messages are also signed with the previous secret.',
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
  activeFrom: time.meta({ description: 'From then on messages are signed with `secret`.' }),
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

type Needs = Pick<
  WebhookFlows,
  'createWebhook' | 'listWebhooks' | 'deleteWebhook' | 'rotateWebhookSecret' | 'enableWebhook' | 'disableWebhook'
>

const tag = 'Webhooks'
const params = { tenantId: Id, webhookId: Id }

export const webhookRoutes = (flows: Needs) => [
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks',
    operationId: 'createWebhook',
    summary: 'Create a webhook endpoint',
    description: 'An address of the tenant that receives events of its links and connections.',
    tag,
    params: { tenantId: Id },
    body: WebhookBody,
    answers: { 201: CreatedWebhookAnswer },
    failures: ['webhook_limit', 'tenant_suspended', 'tenant_deleted'],
    handle: async ({ caller, actor, claim, params: { tenantId: tenant }, body: { url, events } }) => {
      const { webhook, secret } = await flows.createWebhook({ caller, actor, claim, tenant, url, events })
      return { status: 201, body: { ...webhookAnswer(webhook), secret: secret.reveal() } }
    },
  }),
  route({
    method: 'get',
    path: '/tenants/{tenantId}/webhooks',
    operationId: 'listWebhooks',
    summary: 'List webhook endpoints',
    description: 'All of a tenant, at most ten. Their secrets are not shown.',
    tag,
    params: { tenantId: Id },
    answers: { 200: listOf(WebhookAnswer) },
    handle: async ({ caller, params: { tenantId: tenant } }) => {
      return { status: 200, body: listAnswer({ data: await flows.listWebhooks({ caller, tenant }) }, webhookAnswer) }
    },
  }),
  route({
    method: 'delete',
    path: '/tenants/{tenantId}/webhooks/{webhookId}',
    operationId: 'deleteWebhook',
    summary: 'Delete a webhook endpoint',
    description: 'With every delivery to it, also those that are still pending.',
    tag,
    params,
    answers: { 204: undefined },
    handle: async ({ caller, actor, params: { tenantId: tenant, webhookId: webhook } }) => {
      await flows.deleteWebhook({ caller, actor, tenant, webhook })
      return { status: 204 }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks/{webhookId}/rotate-secret',
    operationId: 'rotateWebhookSecret',
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'For a day messages carry two signatures, one by each secret, so that you can switch at any time during it. Rotated again meanwhile, they carry one more.',
    tag,
    params,
    answers: { 200: RotatedSecretAnswer },
    failures: ['webhook_secret_limit'],
    handle: async ({ caller, actor, params: { tenantId: tenant, webhookId } }) => {
      const { webhook, secret } = await flows.rotateWebhookSecret({ caller, actor, tenant, webhook: webhookId })
      const activeFrom = webhook.updatedAt.toISOString()
      return { status: 200, body: { ...webhookAnswer(webhook), secret: secret.reveal(), activeFrom } }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks/{webhookId}/enable',
    operationId: 'enableWebhook',
    summary: 'Enable a webhook endpoint',
    description: 'Events are sent to it again. Those it missed can be replayed.',
    tag,
    params,
    answers: { 200: WebhookAnswer },
    handle: async ({ caller, actor, params: { tenantId: tenant, webhookId: webhook } }) => {
      return { status: 200, body: webhookAnswer(await flows.enableWebhook({ caller, actor, tenant, webhook })) }
    },
  }),
  route({
    method: 'post',
    path: '/tenants/{tenantId}/webhooks/{webhookId}/disable',
    operationId: 'disableWebhook',
    summary: 'Disable a webhook endpoint',
    description:
      'Nothing is sent to it until it is enabled. Pending deliveries are given up; after enabling they can be replayed.',
    tag,
    params,
    answers: { 200: WebhookAnswer },
    handle: async ({ caller, actor, params: { tenantId: tenant, webhookId: webhook } }) => {
      return { status: 200, body: webhookAnswer(await flows.disableWebhook({ caller, actor, tenant, webhook })) }
    },
  }),
]
