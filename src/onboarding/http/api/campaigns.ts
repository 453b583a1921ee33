import { csv } from '../../../kit/csv.ts'
import type { Flows } from '../../flows/flows.ts'
import { pageOf } from './answer-schemas.ts'
import { pageAnswer } from './answers.ts'
import { route } from './route.ts'
import { CampaignBody, CampaignMemberPageQuery, CampaignPageQuery, Id } from './schemas.ts'
import { campaignAnswer, memberAnswer } from './upkeep-answers.ts'
import { CampaignAnswer, CampaignMemberAnswer, StartedCampaignAnswer } from './upkeep-schemas.ts'

export type CampaignApi = {
  flows: Pick<Flows, 'startCampaign' | 'readCampaign' | 'listCampaigns' | 'listCampaignMembers' | 'readTenant'>
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
    refuses: ['not_found', 'campaign_empty'],
    csv: (body) => memberRows(StartedCampaignAnswer.parse(body).members),
    handle: async ({ caller, actor, once, body }) => {
      if (body.tenant !== undefined) await flows.readTenant({ caller, id: body.tenant })
      const started = await flows.startCampaign({ ...body, tenant: caller.tenant ?? body.tenant, actor, once })
      const members = started.members.map((member) => ({ ...memberAnswer(member), url: member.url }))
      const counts = { open: members.length, started: 0, linked: 0, failed: 0, expired: 0, cancelled: 0 }
      return { status: 201, body: { ...campaignAnswer({ campaign: started.campaign, counts }), members } }
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
]

type Member = (typeof StartedCampaignAnswer)['_zod']['output']['members'][number]

const memberRows = (members: readonly Member[]): string =>
  csv([
    ['connection', 'tenant', 'integration', 'endUser', 'account', 'url'],
    ...members.map((each) => [
      each.connection,
      each.tenant,
      each.integration,
      each.endUser.id,
      each.account ?? '',
      each.url,
    ]),
  ])
