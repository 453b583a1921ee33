// What callers send, strictly: a member we do not know is an error and not a silent loss.
import { z } from 'zod'
import { causeCodes } from '../../domain/cause.ts'
import { connectionStatuses } from '../../domain/connection.ts'
import { linkStates } from '../../domain/link.ts'
import { tenantEventNames } from '../../domain/ports.ts'
import { longestRelinkSeconds } from '../../domain/relink.ts'
import { returnUrlTrouble } from '../../domain/return-url.ts'
import { longestRotationSeconds, tenantIdPattern, usualRotationSeconds, workspacePattern } from '../../domain/tenant.ts'
import { deliveryStatuses } from '../../domain/webhook.ts'

/** Any id in a path: what is not one of ours is simply not found. */
export const Id = z.string().min(1).max(200)

export const TenantId = z.string().regex(tenantIdPattern, 'must be lowercase letters, digits and hyphens, at most 63')

const shown = (most: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(most)
    .refine((text) => !/\p{Cc}/u.test(text), 'must not contain control characters')

const ReturnUrl = z
  .string()
  .max(2_000)
  .superRefine((url, context) => {
    const trouble = returnUrlTrouble(url)
    if (trouble) context.addIssue({ code: 'custom', message: trouble })
  })

export const TenantBody = z.strictObject({
  workspace: z.string().regex(workspacePattern, 'must be lowercase letters, digits and hyphens, at most 63'),
  displayName: shown(63),
  returnUrls: z.array(ReturnUrl).min(1).max(50),
})

export const SigningRotationBody = z.strictObject({
  afterSeconds: z
    .int()
    .min(0)
    .max(longestRotationSeconds)
    .default(usualRotationSeconds)
    .meta({ description: 'How long the secret so far goes on signing. 0 where it has leaked.' }),
})

export const OwnClientBody = z.strictObject({
  clientId: z.string().min(1).max(500),
  clientSecret: z.string().min(1).max(2_000).optional(),
})

const CompletionChallenge = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be the base64url SHA-256 of your verifier')

export const ConnectSessionBody = z.strictObject({
  tenant: TenantId,
  integration: z.string().min(1).max(32),
  endUser: z.strictObject({
    id: shown(200),
    displayName: shown(100).optional(),
    email: z.email().max(254).optional(),
  }),
  returnUrl: z.string().max(2_000),
  completionChallenge: CompletionChallenge.optional(),
  ttlSeconds: z.int().min(60).max(1_800).optional(),
})

const reason = shown(500).meta({ description: 'Why. It stands in the audit.' })

export const ReasonBody = z.strictObject({ reason })

/** Who gives no reason sends no body: a program that resumes or replays by itself has none to give. */
export const MaybeReasonBody = z.strictObject({ reason: reason.optional() })

export const RelinkBody = z.strictObject({
  reason,
  returnUrl: z.string().max(2_000).optional(),
  completionChallenge: CompletionChallenge.optional().meta({
    description: 'Needed, with returnUrl, where the account cannot be compared: none is known, or another is allowed.',
  }),
  ttlSeconds: z.int().min(60).max(longestRelinkSeconds).optional(),
  allowOtherAccount: z
    .boolean()
    .optional()
    .meta({ description: 'The account may be another one than before. Only for keys of the deployment.' }),
})

export const CompletionBody = z.strictObject({
  completionCode: z.string().min(1).max(200),
  completionVerifier: z.string().min(43).max(128),
})

export const WebhookBody = z.strictObject({
  url: z.string().max(2_000),
  events: z
    .array(z.enum(tenantEventNames))
    .min(1)
    .max(tenantEventNames.length)
    .refine((events) => new Set(events).size === events.length, 'must name each event once')
    .default([...tenantEventNames]),
})

const wholeNumber = 'must be a whole number from 1 to 200'
const limit = z.coerce.number(wholeNumber).int(wholeNumber).min(1, wholeNumber).max(200, wholeNumber).default(50)

// What is no cursor would be read as a place before or behind everything, and its caller take an empty page for the end.
const after = (place: RegExp) => z.string().regex(place, 'must be a cursor of ours').optional()
const connectionPlace = /^con_[\w-]{1,100}$/

export const TenantPageQuery = z.strictObject({ cursor: after(tenantIdPattern), limit })
export const CampaignPageQuery = z.strictObject({ cursor: after(/^cmp_[\w-]{1,100}$/), limit })
export const CampaignMemberPageQuery = z.strictObject({ cursor: after(connectionPlace), limit })

export const LinkListQuery = z.strictObject({
  tenant: TenantId.optional(),
  state: z.enum(linkStates).optional(),
  cause: z.enum(causeCodes).optional(),
  cursor: after(/^lnk_[\w-]{1,100}$/),
  limit,
})

export const ConnectionListQuery = z.strictObject({
  tenant: TenantId.optional(),
  integration: z.string().max(32).optional(),
  status: z.enum(connectionStatuses).optional(),
  cause: z.enum(causeCodes).optional(),
  endUserId: z.string().max(200).optional(),
  cursor: after(connectionPlace),
  limit,
})

export const DeliveryListQuery = z.strictObject({
  status: z.enum(deliveryStatuses).optional(),
  webhook: z.string().max(100).optional(),
  cursor: after(/^dlv_[\w-]{1,100}$/),
  limit,
})

export const CampaignBody = z.strictObject({
  cause: z.enum(causeCodes),
  tenant: TenantId.optional(),
  integration: z.string().min(1).max(32).optional(),
  ttlSeconds: z.int().min(60).max(longestRelinkSeconds).optional(),
  reason,
})

const time = z.iso
  .datetime({ error: 'must be a time such as 2026-11-15T08:00:00Z' })
  .transform((text) => new Date(text))
  .optional()

export const AuditListQuery = z.strictObject({
  tenant: TenantId.optional(),
  action: z.string().max(100).optional(),
  connection: z.string().max(100).optional(),
  link: z.string().max(100).optional(),
  actor: z.string().max(200).optional(),
  requestId: z.string().max(100).optional(),
  from: time,
  to: time,
  cursor: after(/^\d{1,18}$/),
  limit,
})
