import type { Flows } from '../../flows/flows.ts'
import { addressesCsv } from '../campaign-addresses.ts'
import { pageOf } from './answer-schemas.ts'
import { pageAnswer } from './answers.ts'
import { route } from './route.ts'
import { CampaignBody, CampaignMemberPageQuery, CampaignPageQuery, Id, ReasonBody } from './schemas.ts'
import { addressedAnswer, campaignAnswer, memberAnswer } from './upkeep-answers.ts'
import { CampaignAnswer, CampaignMemberAnswer, StartedCampaignAnswer } from './upkeep-schemas.ts'

export type CampaignApi = {
  flows: Pick<
    Flows,
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
    refuses: ['not_found', 'campaign_empty'],
    csv: (body) => addressesCsv(StartedCampaignAnswer.parse(body).members),
    handle: async ({ caller, actor, once, body }) => {
      if (body.tenant !== undefined) await flows.readTenant({ caller, id: body.tenant })
      const started = await flows.startCampaign({ ...body, tenant: caller.tenant ?? body.tenant, actor, once })
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
