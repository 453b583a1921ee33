import type { z } from 'zod'
import type { CampaignMember, CampaignProgress } from '../../domain/campaign.ts'
import { explain } from '../../domain/cause.ts'
import type { ConnectionTask } from '../../domain/connection-task.ts'
import type { HealthCheck } from '../../domain/health.ts'
import type { AuditLine } from '../../domain/support-ports.ts'
import type { AddressedMember } from '../../flows/start-campaign.ts'
import type {
  AuditAnswer,
  CampaignAnswer,
  CampaignMemberAnswer,
  HealthCheckAnswer,
  TaskAnswer,
} from './upkeep-schemas.ts'

export const healthCheckAnswer = (check: HealthCheck): z.input<typeof HealthCheckAnswer> => ({
  at: check.at.toISOString(),
  outcome: check.outcome,
  ...(check.cause && { cause: explain(check.cause) }),
  durationMs: check.durationMs,
})

export const taskAnswer = (task: ConnectionTask): z.input<typeof TaskAnswer> => ({
  id: task.id,
  connection: task.connectionId,
  kind: task.kind,
  status: task.step === 'done' || task.step === 'failed' ? task.step : 'pending',
  step: task.step,
  attempts: task.attempts,
  ...(task.notes.revocation && { revocation: task.notes.revocation }),
  // What it ran into on the way is over when it is done.
  ...(task.cause && task.step !== 'done' && { cause: explain(task.cause) }),
  createdAt: task.createdAt.toISOString(),
  updatedAt: task.updatedAt.toISOString(),
})

export const campaignAnswer = ({ campaign, counts }: CampaignProgress): z.input<typeof CampaignAnswer> => ({
  id: campaign.id,
  cause: campaign.cause,
  ...(campaign.tenant && { tenant: campaign.tenant }),
  ...(campaign.integration && { integration: campaign.integration }),
  reason: campaign.reason,
  counts,
  expiresAt: campaign.expiresAt.toISOString(),
  ...(campaign.cancelledAt && { cancelledAt: campaign.cancelledAt.toISOString() }),
  createdAt: campaign.createdAt.toISOString(),
})

export const memberAnswer = (member: CampaignMember): z.input<typeof CampaignMemberAnswer> => ({
  connection: member.connectionId,
  name: member.connectionName,
  tenant: member.tenant,
  integration: member.integration,
  endUser: { id: member.endUserId },
  ...(member.accountLabel && { account: member.accountLabel }),
  connectSession: member.sessionId,
  ...(member.linkId && { link: member.linkId }),
  status: member.status,
})

export const addressedAnswer = ({ url, expiresAt, ...member }: AddressedMember) => ({
  ...memberAnswer(member),
  url,
  expiresAt: expiresAt.toISOString(),
})

/** Without the address somebody came from: that is for the deployment's own people. */
export const auditAnswer = (line: AuditLine): z.input<typeof AuditAnswer> => ({
  id: String(line.id),
  at: line.at.toISOString(),
  action: line.action,
  actor: {
    kind: line.actor.kind,
    ...(line.actor.id && { id: line.actor.id }),
    ...(line.actor.name && { name: line.actor.name }),
  },
  ...(line.tenant && { tenant: line.tenant }),
  ...(line.link && { link: line.link }),
  ...(line.connection && { connection: line.connection }),
  ...(line.reason && { reason: line.reason }),
  ...(line.requestId && { requestId: line.requestId }),
  ...(line.before && { before: line.before }),
  ...(line.after && { after: line.after }),
})
