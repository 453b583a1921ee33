// What callers get about keeping connections alive.
import { z } from 'zod'
import { memberStatuses, mostMembers } from '../../domain/campaign.ts'
import { causeCodes } from '../../domain/cause.ts'
import { healthOutcomes } from '../../domain/health.ts'
import { CauseAnswer, ConnectionAnswer, time } from './answer-schemas.ts'

export const HealthCheckAnswer = z.strictObject({
  at: time,
  outcome: z
    .enum(healthOutcomes)
    .meta({ description: 'unclear: something else was broken, so nothing was learnt about the grant.' }),
  cause: CauseAnswer.optional(),
  durationMs: z.int(),
})

export const HealthAnswer = z.strictObject({
  connection: ConnectionAnswer,
  checks: z.array(HealthCheckAnswer).meta({ description: 'The newest first, at most 50.' }),
})

export const ToolsAnswer = z.strictObject({ tools: z.array(z.string()) })

export const TaskAnswer = z.strictObject({
  id: z.string(),
  connection: z.string(),
  kind: z.enum(['disconnect', 'rollback']),
  status: z.enum(['pending', 'done', 'failed']).meta({ description: 'pending: it is carried on by itself.' }),
  step: z.string(),
  attempts: z.int().meta({ description: 'How often this step was tried in vain.' }),
  revocation: z
    .enum(['revoked', 'not_kept', 'not_offered', 'shared', 'refused'])
    .optional()
    .meta({ description: 'What became of the grant at the provider.' }),
  cause: CauseAnswer.optional().meta({ description: 'Why it failed, or what it last ran into.' }),
  createdAt: time,
  updatedAt: time,
})

export const CampaignAnswer = z.strictObject({
  id: z.string(),
  cause: z.enum(causeCodes),
  tenant: z.string().optional(),
  integration: z.string().optional(),
  reason: z.string(),
  counts: z.strictObject(
    Object.fromEntries(memberStatuses.map((status) => [status, z.int()])) as Record<
      (typeof memberStatuses)[number],
      z.ZodInt
    >,
  ),
  expiresAt: time,
  cancelledAt: time.optional(),
  createdAt: time,
})

export const CampaignMemberAnswer = z.strictObject({
  connection: z.string(),
  name: z.string(),
  tenant: z.string(),
  integration: z.string(),
  endUser: z.strictObject({ id: z.string() }),
  account: z.string().optional(),
  connectSession: z.string(),
  link: z.string().optional(),
  status: z.enum(memberStatuses),
})

export const StartedCampaignAnswer = CampaignAnswer.extend({
  members: z.array(
    CampaignMemberAnswer.extend({
      url: z.url().meta({ description: 'For the user of this connection alone. It is a secret, shown this once.' }),
      expiresAt: time.meta({ description: 'When this address ends.' }),
    }),
  ),
  remaining: z
    .int()
    .meta({ description: `Connections left out because a campaign takes ${mostMembers}: start another for them.` }),
})

export const AuditAnswer = z.strictObject({
  id: z.string(),
  at: time,
  action: z.string(),
  actor: z.strictObject({ kind: z.string(), id: z.string().optional(), name: z.string().optional() }),
  tenant: z.string().optional(),
  link: z.string().optional(),
  connection: z.string().optional(),
  reason: z.string().optional(),
  requestId: z.string().optional(),
  before: z.record(z.string(), z.unknown()).optional(),
  after: z.record(z.string(), z.unknown()).optional(),
})
