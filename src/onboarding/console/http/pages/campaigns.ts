import { Router } from 'express'
import { z } from 'zod'
import type { CampaignFlows } from '../../../campaigns/flows/campaign-flows.ts'
import { addressesCsv } from '../../../campaigns/http/campaign-addresses.ts'
import { addressedAnswer } from '../../../campaigns/http/campaigns.ts'
import { causeCodes } from '../../../domain/cause.ts'
import type { Integration } from '../../../domain/integration.ts'
import type { SharedFlows } from '../../../flows/shared-flows.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { campaignLocals, campaignsLocals, newCampaignLocals } from '../locals/campaigns.ts'
import { frameLocals } from '../locals/frame.ts'
import { choice, MembersQuery, optional, Plain, pagerLocals, Reason, text } from './queries.ts'

type Needs = {
  flows: Pick<
    CampaignFlows & SharedFlows,
    | 'startCampaign'
    | 'countInNeed'
    | 'cancelCampaign'
    | 'listCampaigns'
    | 'readCampaign'
    | 'listCampaignMembers'
    | 'noteRefusal'
  >
  integrations: () => Integration[]
}

const Wanted = z.strictObject({
  cause: choice(causeCodes),
  tenant: optional(text(63).trim()),
  integration: optional(text(63)),
  days: choice(['1', '3', '7']).default('7'),
})
const NewCampaign = Wanted.extend({ reason: Reason })

const limit = 50

/** Many connections that broke for one cause, mended together. Whoever minds them all is an admin. */
export const campaignPages = ({ flows, integrations }: Needs) =>
  Router()
    .get('/campaigns', async (req, res) => {
      const { cursor } = MembersQuery.parse(req.query)
      const page = await flows.listCampaigns({ cursor, limit })
      res.render('onboarding/support/campaigns', {
        ...campaignsLocals(page.data, integrations(), new Date()),
        ...pagerLocals('/support/campaigns', { cursor }, page.nextCursor),
        ...frameLocals(req, res, '/support/campaigns'),
      })
    })
    .get('/campaigns/new', async (req, res) => {
      const wanted = Wanted.parse(req.query)
      const { cause, tenant, integration } = wanted
      const count = await flows.countInNeed({ cause, tenant, integration })
      res.render('onboarding/support/campaign-new', {
        ...newCampaignLocals(wanted, count),
        ...frameLocals(req, res, '/support/campaigns'),
      })
    })
    .post('/campaigns', actAs('admin', flows.noteRefusal), async (req, res) => {
      const { days, ...wanted } = NewCampaign.parse(req.body)
      const actor = supportActor(req, res)
      const started = await flows.startCampaign({ ...wanted, ttlSeconds: Number(days) * 86_400, actor })
      // The answer is the file itself: the addresses are kept nowhere, so there is no second chance to show them.
      res
        .type('text/csv')
        .attachment(`${started.campaign.id}.csv`)
        .send(addressesCsv(started.members.map(addressedAnswer)))
    })
    .get('/campaigns/:id', async (req, res) => {
      const { cursor } = MembersQuery.parse(req.query)
      const id = req.params.id
      const [progress, page] = await Promise.all([
        flows.readCampaign({ id }),
        flows.listCampaignMembers({ id, cursor, limit }),
      ])
      res.render('onboarding/support/campaign', {
        ...campaignLocals({ progress, members: page.data, done: req.query.done, now: new Date() }),
        ...pagerLocals(`/support/campaigns/${encodeURIComponent(id)}`, { cursor }, page.nextCursor),
        ...frameLocals(req, res, '/support/campaigns'),
      })
    })
    .post('/campaigns/:id/cancel', actAs('admin', flows.noteRefusal), async (req, res) => {
      const { reason } = Plain.parse(req.body)
      const { campaign } = await flows.cancelCampaign({
        id: String(req.params.id),
        actor: supportActor(req, res),
        reason,
      })
      res.redirect(303, `/support/campaigns/${campaign.id}?done=cancelled`)
    })
