import { z } from 'zod'
import { type CampaignMember, type CampaignProgress, memberStatuses, mostMembers } from '../../domain/campaign.ts'
import { explain } from '../../domain/cause.ts'
import { longestRelinkSeconds } from '../../domain/relink.ts'
import { sightOf, sightOn } from '../../domain/tenant.ts'
import { route } from '../../http/route.ts'
import {
  after,
  CauseAnswer,
  causeCode,
  connectionCursor,
  EndUser,
  Id,
  IntegrationId,
  limit,
  listAnswer,
  listOf,
  ReasonBody,
  reason,
  TenantId,
  time,
} from '../../http/schemas.ts'
import type { TenantFlows } from '../../tenants/flows/tenant-flows.ts'
import type { CampaignFlows } from '../flows/campaign-flows.ts'
import type { AddressedMember } from '../flows/start-campaign.ts'
import { addressesCsv } from './campaign-addresses.ts'

const CampaignBody = z
  .strictObject({
    causeCode: causeCode.meta({ description: 'Connections that need a re-link for this cause take part.' }),
    tenantId: TenantId.optional().meta({ description: 'Only connections of this tenant.' }),
    integrationId: IntegrationId.optional().meta({ description: 'Only connections of this integration.' }),
    ttlSeconds: z
      .int()
      .min(60)
      .max(longestRelinkSeconds)
      .optional()
      .meta({ description: 'How long the URLs can be opened. Seven days by default.' }),
    reason,
  })
  .meta({
    id: 'CampaignRequest',
    description: 'Which connections take part, and why.',
    examples: [{ causeCode: 'client_rejected', integrationId: 'gmail', reason: 'client secret rotated on Monday' }],
  })

const exampleCampaign = {
  id: 'cmp_06gxz1d5p9w3n7r2s6v0x4y8z1',
  cause: explain('client_rejected'),
  integrationId: 'gmail',
  reason: 'client secret rotated on Monday',
  counts: { open: 1, started: 0, linked: 0, failed: 0, expired: 0, cancelled: 0 },
  expiresAt: '2026-11-22T10:00:00.000Z',
  createdAt: '2026-11-15T10:00:00.000Z',
}

const CampaignAnswer = z
  .strictObject({
    id: z.string(),
    cause: CauseAnswer,
    tenantId: z.string().optional(),
    integrationId: z.string().optional(),
    reason: z.string(),
    counts: z
      .strictObject(
        Object.fromEntries(memberStatuses.map((status) => [status, z.int()])) as Record<
          (typeof memberStatuses)[number],
          z.ZodInt
        >,
      )
      .meta({ description: 'How many of its connections are where.' }),
    expiresAt: time,
    cancelledAt: time.optional(),
    createdAt: time,
  })
  .meta({
    id: 'Campaign',
    description: 'Re-link sessions for every connection that broke for one cause.',
    examples: [exampleCampaign],
  })

const exampleMember = {
  connectionId: 'con_06gxytkv1n6z3c8p2r5s7t9w0x',
  connectionName: 'gmail-k3v9x2m7qa',
  tenantId: 'acme',
  integrationId: 'gmail',
  endUser: { id: 'user-42' },
  accountLabel: 'user@gmail.example',
  connectSessionId: 'ses_06gxz1d5p9w3n7r2s6v0x4y8z2',
  status: 'open',
}

const CampaignMemberAnswer = z
  .strictObject({
    connectionId: z.string(),
    connectionName: z.string().meta({ description: 'The name of the connection on the platform.' }),
    tenantId: z.string(),
    integrationId: z.string(),
    endUser: EndUser,
    accountLabel: z.string().optional().meta({ description: 'The account at the third party, where it is known.' }),
    connectSessionId: z.string(),
    linkId: z.string().optional().meta({ description: 'Present once the user has started.' }),
    status: z.enum(memberStatuses),
  })
  .meta({ id: 'CampaignMember', description: 'One connection of a campaign.', examples: [exampleMember] })

const AddressedMemberAnswer = CampaignMemberAnswer.extend({
  url: z.url().meta({ description: 'For the user of this connection alone. It is a secret, shown only once.' }),
  expiresAt: time.meta({ description: 'When this URL expires.' }),
}).meta({ id: 'CampaignMemberWithUrl', description: 'One connection of a campaign, with the URL for its user.' })

const StartedCampaignAnswer = CampaignAnswer.extend({
  members: z.array(AddressedMemberAnswer),
  remaining: z
    .int()
    .meta({ description: `Connections left out because a campaign takes ${mostMembers}: start another for them.` }),
  atGrantLimit: z.int().optional().meta({
    description:
      'How many of the members have an account with as many grants as the app allows: a new one ends the oldest, which another connection may use, or is refused. Absent if there are none.',
  }),
}).meta({
  id: 'CreatedCampaign',
  description: 'The campaign, with the URLs to send.',
  examples: [
    {
      ...exampleCampaign,
      members: [
        {
          ...exampleMember,
          url: 'https://connect.example.com/connect/kT3vN8x2Qm5Wc0Rj7Yb4Hd1Fs6Lg9Pa3Zu8Ei5Ot2Xk',
          expiresAt: exampleCampaign.expiresAt,
        },
      ],
      remaining: 0,
    },
  ],
})

const campaignAnswer = ({ campaign, counts }: CampaignProgress): z.input<typeof CampaignAnswer> => ({
  id: campaign.id,
  cause: explain(campaign.cause),
  ...(campaign.tenant && { tenantId: campaign.tenant }),
  ...(campaign.integration && { integrationId: campaign.integration }),
  reason: campaign.reason,
  counts,
  expiresAt: campaign.expiresAt.toISOString(),
  ...(campaign.cancelledAt && { cancelledAt: campaign.cancelledAt.toISOString() }),
  createdAt: campaign.createdAt.toISOString(),
})

const memberAnswer = (member: CampaignMember): z.input<typeof CampaignMemberAnswer> => ({
  connectionId: member.connectionId,
  connectionName: member.connectionName,
  tenantId: member.tenant,
  integrationId: member.integration,
  endUser: { id: member.endUserId },
  ...(member.accountLabel && { accountLabel: member.accountLabel }),
  connectSessionId: member.sessionId,
  ...(member.linkId && { linkId: member.linkId }),
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
const params = { campaignId: Id }

export const campaignRoutes = ({ flows }: CampaignApi) => [
  route({
    method: 'post',
    path: '/campaigns',
    operationId: 'createCampaign',
    summary: 'Create a campaign',
    description:
      'A re-link session for every connection that broke for one cause. With `Accept: text/csv` the response is a file with one line for each, to send the URLs from. Connections with a URL of a campaign that still works are left out, and so are those whose account is not known, where connect sessions have to be completed: re-link these one by one.',
    tag,
    body: CampaignBody,
    answers: { 201: StartedCampaignAnswer },
    failures: ['not_found', 'campaign_empty'],
    csv: (body) => addressesCsv(StartedCampaignAnswer.parse(body).members),
    handle: async ({ caller, actor, claim, body: { causeCode, tenantId, integrationId, reason, ttlSeconds } }) => {
      if (tenantId !== undefined) await flows.readTenant({ caller, id: tenantId })
      const filter = { cause: causeCode, ...sightOn(caller, tenantId), integration: integrationId }
      const started = await flows.startCampaign({ ...filter, reason, ttlSeconds, actor, claim })
      const members = started.members.map(addressedAnswer)
      const { campaign, remaining, atGrantLimit } = started
      const counts = { open: members.length, started: 0, linked: 0, failed: 0, expired: 0, cancelled: 0 }
      return {
        status: 201,
        body: {
          ...campaignAnswer({ campaign, counts }),
          members,
          remaining,
          ...(atGrantLimit > 0 && { atGrantLimit }),
        },
      }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns',
    operationId: 'listCampaigns',
    summary: 'List campaigns',
    description: 'Newest first.',
    tag,
    query: z.strictObject({ cursor: after(/^cmp_[\w-]{1,100}$/), limit }),
    answers: { 200: listOf(CampaignAnswer) },
    handle: async ({ caller, query: { cursor, limit } }) => {
      const page = await flows.listCampaigns({ ...sightOf(caller), cursor, limit })
      return { status: 200, body: listAnswer(page, campaignAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns/{campaignId}',
    operationId: 'getCampaign',
    summary: 'Get a campaign',
    description: 'With a count of who has reconnected.',
    tag,
    params,
    answers: { 200: CampaignAnswer },
    handle: async ({ caller, params: { campaignId: id } }) => {
      return { status: 200, body: campaignAnswer(await flows.readCampaign({ id, ...sightOf(caller) })) }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns/{campaignId}/members',
    operationId: 'listCampaignMembers',
    summary: 'List the members of a campaign',
    description: 'Its connections, and what became of each.',
    tag,
    params,
    query: z.strictObject({ cursor: connectionCursor, limit }),
    answers: { 200: listOf(CampaignMemberAnswer) },
    handle: async ({ caller, params: { campaignId: id }, query: { cursor, limit } }) => {
      const page = await flows.listCampaignMembers({ id, ...sightOf(caller), cursor, limit })
      return { status: 200, body: listAnswer(page, memberAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/campaigns/{campaignId}/cancel',
    operationId: 'cancelCampaign',
    summary: 'Cancel a campaign',
    description:
      'Unused URLs stop working, and anyone midway through at the provider is stopped. Cancelling twice changes nothing.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: CampaignAnswer },
    handle: async ({ caller, actor, params: { campaignId: id }, body: { reason } }) => {
      const cancelled = await flows.cancelCampaign({ id, ...sightOf(caller), actor, reason })
      return { status: 200, body: campaignAnswer(cancelled) }
    },
  }),
]
