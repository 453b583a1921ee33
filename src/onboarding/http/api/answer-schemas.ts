// What callers get, as schemas: the OpenAPI document is made from them, and tests hold every answer against them.
import { z } from 'zod'
import { causeCodes } from '../../domain/cause.ts'
import { connectionStatuses } from '../../domain/connection.ts'
import { failureCodes } from '../../domain/failure.ts'
import { linkStates, linkSteps } from '../../domain/link.ts'
import { tenantEventNames } from '../../domain/ports.ts'
import { deliveryStatuses, deliveryTroubles, webhookStatuses } from '../../domain/webhook.ts'

export const time = z.iso.datetime()

const EndUser = z.strictObject({ id: z.string(), displayName: z.string().optional(), email: z.string().optional() })

const UpstreamAccount = z.strictObject({ id: z.string(), label: z.string() }).meta({
  description: 'The account at the third party that granted access.',
})

export const TenantAnswer = z.strictObject({
  id: z.string(),
  workspace: z.string(),
  displayName: z.string(),
  returnUrls: z.array(z.string()),
  createdAt: time,
  updatedAt: time,
})

export const CreatedTenantAnswer = TenantAnswer.extend({
  signingSecret: z.string().meta({ description: 'Verifies `sig` on return URLs. Shown this once.' }),
})

export const RotatedSigningSecretAnswer = z.strictObject({
  signingSecret: z.string().meta({ description: 'Verifies `sig` on return URLs from then on. Shown this once.' }),
  signsFrom: time.meta({
    description:
      'Until then the secret so far signs. Accept both until a minute later: results are still on their way.',
  }),
})

export const OwnClientAnswer = z.strictObject({ integration: z.string(), clientId: z.string() })

export const ListedClientAnswer = OwnClientAnswer.extend({
  method: z
    .enum(['client_secret_post', 'client_secret_basic', 'none'])
    .optional()
    .meta({ description: 'How it proves itself; missing when the integration is no longer offered here.' }),
  createdAt: time,
  updatedAt: time,
})

export const IntegrationAnswer = z.strictObject({
  id: z.string(),
  displayName: z.string(),
  description: z.string(),
  permissions: z.array(z.strictObject({ scope: z.string(), description: z.string() })),
  available: z.boolean().meta({ description: 'Whether an OAuth client is configured, so that a link can be started.' }),
})

export const ConnectSessionAnswer = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  integration: z.string(),
  endUser: EndUser,
  returnUrl: z.string().optional(),
  relinks: z.string().optional().meta({ description: 'The connection that this session re-links.' }),
  status: z.enum(['open', 'started', 'expired', 'cancelled']),
  link: z.string().optional(),
  expiresAt: time,
  createdAt: time,
})

export const MintedSessionAnswer = ConnectSessionAnswer.extend({
  url: z.url().meta({ description: "Redirect the end user's browser there. It is a secret, shown this once." }),
})

export const CauseAnswer = z.strictObject({
  code: z.enum(causeCodes),
  whoseMove: z.enum(['user', 'tenant', 'support', 'provider', 'platform']),
  title: z.string(),
  advice: z.string(),
})

export const LinkAnswer = z.strictObject({
  id: z.string(),
  connectSession: z.string(),
  tenant: z.string(),
  integration: z.string(),
  endUser: EndUser,
  relinks: z.string().optional().meta({ description: 'The connection that this link mends.' }),
  state: z.enum(linkStates),
  status: z.enum(['pending', 'linked', 'denied', 'abandoned', 'failed', 'needs_attention']),
  steps: z.array(
    z.strictObject({ step: z.enum(linkSteps), progress: z.enum(['done', 'current', 'waiting', 'failed']) }),
  ),
  cause: CauseAnswer.optional(),
  attempts: z.int().meta({ description: 'How often the step it is at was tried in vain; `cause` is the last error.' }),
  nextTryAt: time.optional().meta({
    description: 'When that step is tried again by itself. Absent while it is being tried, and when it is over.',
  }),
  missingScopes: z.array(z.string()).optional(),
  continueUrl: z
    .url()
    .optional()
    .meta({ description: 'Present when the user must be asked for consent once more: send the same browser there.' }),
  connection: z
    .strictObject({
      id: z.string(),
      name: z.string(),
      workspace: z.string(),
      functionName: z.string(),
      functionUrl: z.string(),
      upstreamAccount: UpstreamAccount.optional(),
    })
    .optional(),
  createdAt: time,
  updatedAt: time,
})

export const ConnectionAnswer = z.strictObject({
  id: z.string(),
  tenant: z.string(),
  workspace: z.string(),
  integration: z.string(),
  name: z.string(),
  functionName: z.string(),
  functionUrl: z.string(),
  upstreamAccount: UpstreamAccount.optional(),
  scopes: z.array(z.string()),
  status: z.enum(connectionStatuses),
  cause: CauseAnswer.optional().meta({ description: 'Why it needs a re-link.' }),
  checkedAt: time.optional().meta({ description: 'When it was last tried.' }),
  relinkedAt: time.optional(),
  disconnectedAt: time.optional(),
  endUser: z.strictObject({ id: z.string() }),
  createdAt: time,
  updatedAt: time,
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

export const pageOf = (item: z.ZodType) =>
  z.strictObject({
    data: z.array(item),
    meta: z.strictObject({ nextCursor: z.string().meta({ description: 'Empty on the last page.' }) }),
  })

/** RFC 9457. */
export const ProblemAnswer = z.strictObject({
  type: z.string(),
  title: z.string(),
  status: z.int(),
  detail: z.string(),
  instance: z.string().meta({ description: 'The id of the request, for support.' }),
  code: z.enum(failureCodes),
  errors: z
    .array(z.strictObject({ pointer: z.string().meta({ description: 'JSON pointer' }), detail: z.string() }))
    .optional(),
})
