import { z } from 'zod'
import { type CampaignMember, type CampaignProgress, memberStatuses, mostMembers } from '../../domain/campaign.ts'
import { causeCodes } from '../../domain/cause.ts'
import { longestRelinkSeconds } from '../../domain/relink.ts'
import { route } from '../../http/route.ts'
import {
  after,
  connectionCursor,
  Id,
  limit,
  pageAnswer,
  pageOf,
  ReasonBody,
  reason,
  TenantId,
  time,
} from '../../http/schemas.ts'
import type { TenantFlows } from '../../tenants/flows/tenant-flows.ts'
import type { CampaignFlows } from '../flows/campaign-flows.ts'
import type { AddressedMember } from '../flows/start-campaign.ts'
import { addressesCsv } from './campaign-addresses.ts'

export const CampaignPageQuery = z.strictObject({ cursor: after(/^cmp_[\w-]{1,100}$/), limit })

export const CampaignMemberPageQuery = z.strictObject({ cursor: connectionCursor, limit })

export const CampaignBody = z.strictObject({
  cause: z.enum(causeCodes),
  tenant: TenantId.optional(),
  integration: z.string().min(1).max(32).optional(),
  ttlSeconds: z.int().min(60).max(longestRelinkSeconds).optional(),
  reason,
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

export type CampaignApi = {
  flows: Pick<
    CampaignFlows & TenantFlows,
    'startCampaign' | 'readCampaign' | 'listCampaigns' | 'listCampaignMembers' | 'cancelCampaign' | 'readTenant'
  >
}

const tag = 'Campaigns'

export const campaignRoutes = ({ flows }: CampaignApi) => [
  route({
    method: 'post',
    path: '/campaigns',
    name: 'startCampaign',
    summary: 'Mint re-link addresses for every connection that broke for one cause',
    tag,
    body: CampaignBody,
    answers: { 201: StartedCampaignAnswer },
    failures: ['not_found', 'campaign_empty'],
    csv: (body) => addressesCsv(StartedCampaignAnswer.parse(body).members),
    handle: async ({ caller, actor, claim, body }) => {
      if (body.tenant !== undefined) await flows.readTenant({ caller, id: body.tenant })
      const started = await flows.startCampaign({ ...body, tenant: caller.tenant ?? body.tenant, actor, claim })
      const members = started.members.map(addressedAnswer)
      const { remaining } = started
      const counts = { open: members.length, started: 0, linked: 0, failed: 0, expired: 0, cancelled: 0 }
      return { status: 201, body: { ...campaignAnswer({ campaign: started.campaign, counts }), members, remaining } }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns',
    name: 'listCampaigns',
    summary: 'List campaigns, newest first',
    tag,
    query: CampaignPageQuery,
    answers: { 200: pageOf(CampaignAnswer) },
    handle: async ({ caller, query: { cursor, limit } }) => {
      const page = await flows.listCampaigns({ tenant: caller.tenant, cursor, limit })
      return { status: 200, body: pageAnswer(page, campaignAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns/{id}',
    name: 'readCampaign',
    summary: 'Read how far a campaign has come',
    tag,
    params: { id: Id },
    answers: { 200: CampaignAnswer },
    handle: async ({ caller, params: { id } }) => {
      return { status: 200, body: campaignAnswer(await flows.readCampaign({ id, tenant: caller.tenant })) }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns/{id}/members',
    name: 'listCampaignMembers',
    summary: 'List the connections of a campaign and what became of each',
    tag,
    params: { id: Id },
    query: CampaignMemberPageQuery,
    answers: { 200: pageOf(CampaignMemberAnswer) },
    handle: async ({ caller, params: { id }, query: { cursor, limit } }) => {
      const page = await flows.listCampaignMembers({ id, tenant: caller.tenant, cursor, limit })
      return { status: 200, body: pageAnswer(page, memberAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/campaigns/{id}/cancel',
    name: 'cancelCampaign',
    summary: 'Withdraw the addresses of a campaign that nobody has used',
    tag,
    params: { id: Id },
    body: ReasonBody,
    answers: { 200: CampaignAnswer },
    handle: async ({ caller, actor, params: { id }, body: { reason } }) => {
      const cancelled = await flows.cancelCampaign({ id, tenant: caller.tenant, actor, reason })
      return { status: 200, body: campaignAnswer(cancelled) }
    },
  }),
]
