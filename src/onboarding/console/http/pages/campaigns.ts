import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { CampaignFlows } from '../../../campaigns/flows/campaign-flows.ts'
import { addressesCsv } from '../../../campaigns/http/campaign-addresses.ts'
import { addressedAnswer } from '../../../campaigns/http/campaigns.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { causeCodes } from '../../../domain/cause.ts'
import type { SharedFlows } from '../../../flows/shared-flows.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { campaignLocals, campaignsLocals, newCampaignLocals } from '../locals/campaigns.ts'
import { frameLocals } from '../locals/frame.ts'
import { choice, MembersQuery, optional, pagerLocals, Reason, ReasonForm, text } from './queries.ts'

type Needs = {
  flows: Pick<
    CampaignFlows & SharedFlows,
    | 'startCampaign'
    | 'countNeedingRelink'
    | 'cancelCampaign'
    | 'listCampaigns'
    | 'readCampaign'
    | 'listCampaignMembers'
    | 'noteRefusal'
  >
  integrations: () => readonly CatalogueItem[]
}

const CampaignQuery = z.strictObject({
  cause: choice(causeCodes),
  tenant: optional(text(63).trim()),
  integration: optional(text(63)),
  days: choice(['1', '3', '7']).default('7'),
})
const NewCampaign = CampaignQuery.extend({ reason: Reason, anyAccount: z.literal('yes').optional() })

const limit = 50

/** Reconnects every connection that broke for one cause. Only admins start and cancel campaigns. */
export const campaignPages = ({ flows, integrations }: Needs) =>
  exactRouter()
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
      const query = CampaignQuery.parse(req.query)
      const { cause, tenant, integration } = query
      const need = { cause, tenant, testMode: modeOf(tenant), integration }
      const [all, known] = await Promise.all([
        flows.countNeedingRelink(need),
        flows.countNeedingRelink({ ...need, pinned: true }),
      ])
      res.render('onboarding/support/campaign-new', {
        ...newCampaignLocals(query, { all, known }),
        ...frameLocals(req, res, '/support/campaigns'),
      })
    })
    .post('/campaigns', actAs('admin', flows.noteRefusal), async (req, res) => {
      const { days, anyAccount, ...query } = NewCampaign.parse(req.body)
      const need = { ...query, testMode: modeOf(query.tenant), anyAccount: anyAccount === 'yes' }
      const started = await flows.startCampaign({
        ...need,
        ttlSeconds: Number(days) * 86_400,
        actor: supportActor(req, res),
      })
      // The response is the file itself: the URLs are not stored, so they cannot be shown again.
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
      const { reason } = ReasonForm.parse(req.body)
      const { campaign } = await flows.cancelCampaign({
        id: String(req.params.id),
        actor: supportActor(req, res),
        reason,
      })
      res.redirect(303, `/support/campaigns/${campaign.id}?done=cancelled`)
    })

/** A campaign for everybody is for live tenants. */
const modeOf = (tenant: string | undefined): false | undefined => (tenant === undefined ? false : undefined)
