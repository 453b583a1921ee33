import { z } from 'zod'
import { type CampaignMember, type CampaignProgress, maxMembers, memberStatuses } from '../../domain/campaign.ts'
import { explain } from '../../domain/cause.ts'
import { maxRelinkSeconds } from '../../domain/relink.ts'
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
import { readTenant } from '../../tenants/flows/manage-tenants.ts'
import { cancelCampaign } from '../flows/cancel-campaign.ts'
import { listCampaignMembers, listCampaigns, readCampaign } from '../flows/read-campaigns.ts'
import type { AddressedMember } from '../flows/start-campaign.ts'
import { startCampaign } from '../flows/start-campaign.ts'
import { addressesCsv } from './campaign-addresses.ts'

const CampaignBody = z
  .strictObject({
    causeCode: causeCode.meta({ description: 'The campaign includes connections that need a re-link for this cause.' }),
    tenantId: TenantId.optional().meta({ description: 'Only connections of this tenant.' }),
    integrationId: IntegrationId.optional().meta({ description: 'Only connections of this integration.' }),
    ttlSeconds: z
      .int()
      .min(60)
      .max(maxRelinkSeconds)
      .optional()
      .meta({ description: 'How long the URLs can be opened. Defaults to seven days.' }),
    reason,
  })
  .meta({
    id: 'CampaignRequest',
    description: 'Which connections to include, and why.',
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
      .meta({ description: 'The number of connections by status.' }),
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
    accountLabel: z.string().optional().meta({ description: 'The account at the third party, if known.' }),
    connectSessionId: z.string(),
    linkId: z.string().optional().meta({ description: 'Present once the user has started.' }),
    status: z.enum(memberStatuses),
  })
  .meta({ id: 'CampaignMember', description: 'One connection of a campaign.', examples: [exampleMember] })

const AddressedMemberAnswer = CampaignMemberAnswer.extend({
  url: z.url().meta({ description: 'For the user of this connection only. It is a secret and returned only once.' }),
  expiresAt: time.meta({ description: 'When this URL expires.' }),
}).meta({ id: 'CampaignMemberWithUrl', description: 'One connection of a campaign, with the URL for its user.' })

const StartedCampaignAnswer = CampaignAnswer.extend({
  members: z.array(AddressedMemberAnswer),
  remaining: z.int().meta({
    description: `Connections left out because a campaign has at most ${maxMembers} members. Start another campaign for them.`,
  }),
  atGrantLimit: z.int().optional().meta({
    description:
      'How many members have reached the app’s limit of grants per account. A new grant ends the oldest one, which another connection may use, or is refused. Absent if zero.',
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

const tag = 'Campaigns'
const params = { campaignId: Id }

export const campaignRoutes = [
  route({
    method: 'post',
    path: '/campaigns',
    operationId: 'createCampaign',
    client: 'campaigns.create',
    clientNote: 'The response has one URL per user. The URLs are secrets and are shown only once.',
    summary: 'Create a campaign',
    description:
      'Creates a re-link session for every connection that broke for one cause. With `Accept: text/csv` the response is a file with one URL per line. Connections that already have a valid campaign URL are left out. If connect sessions must be completed, connections with an unknown account are left out as well: re-link them individually.',
    tag,
    body: CampaignBody,
    answers: { 201: StartedCampaignAnswer },
    failures: ['not_found', 'campaign_empty'],
    csv: (body) => addressesCsv(StartedCampaignAnswer.parse(body).members),
    handle: async ({
      ports,
      settings,
      caller,
      actor,
      claim,
      body: { causeCode, tenantId, integrationId, reason, ttlSeconds },
    }) => {
      if (tenantId !== undefined) await readTenant(ports, { caller, id: tenantId })
      const filter = { cause: causeCode, ...sightOn(caller, tenantId), integration: integrationId }
      const started = await startCampaign(ports, settings, { ...filter, reason, ttlSeconds, actor, claim })
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
    client: 'campaigns.list',
    summary: 'List campaigns',
    description: 'Newest first.',
    tag,
    query: z.strictObject({ cursor: after(/^cmp_[\w-]{1,100}$/), limit }),
    answers: { 200: listOf(CampaignAnswer) },
    handle: async ({ ports, caller, query: { cursor, limit } }) => {
      const page = await listCampaigns(ports, { ...sightOf(caller), cursor, limit })
      return { status: 200, body: listAnswer(page, campaignAnswer) }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns/{campaignId}',
    operationId: 'getCampaign',
    client: 'campaigns.get',
    summary: 'Get a campaign',
    description: 'Returns the campaign with the number of connections by status.',
    tag,
    params,
    answers: { 200: CampaignAnswer },
    handle: async ({ ports, caller, params: { campaignId: id } }) => {
      return { status: 200, body: campaignAnswer(await readCampaign(ports, { id, ...sightOf(caller) })) }
    },
  }),
  route({
    method: 'get',
    path: '/campaigns/{campaignId}/members',
    operationId: 'listCampaignMembers',
    client: 'campaigns.listMembers',
    clientNote: 'Lists the connections of a campaign with their results.',
    summary: 'List the members of a campaign',
    description: 'Lists the connections of a campaign with their status.',
    tag,
    params,
    query: z.strictObject({ cursor: connectionCursor, limit }),
    answers: { 200: listOf(CampaignMemberAnswer) },
    handle: async ({ ports, caller, params: { campaignId: id }, query: { cursor, limit } }) => {
      const page = await listCampaignMembers(ports, { id, ...sightOf(caller), cursor, limit })
      return { status: 200, body: listAnswer(page, memberAnswer) }
    },
  }),
  route({
    method: 'post',
    path: '/campaigns/{campaignId}/cancel',
    operationId: 'cancelCampaign',
    client: 'campaigns.cancel',
    summary: 'Cancel a campaign',
    description: 'Unused URLs stop working, and links in progress end. Idempotent.',
    tag,
    params,
    body: ReasonBody,
    answers: { 200: CampaignAnswer },
    handle: async ({ ports, caller, actor, params: { campaignId: id }, body: { reason } }) => {
      const cancelled = await cancelCampaign(ports, { id, ...sightOf(caller), actor, reason })
      return { status: 200, body: campaignAnswer(cancelled) }
    },
  }),
]
