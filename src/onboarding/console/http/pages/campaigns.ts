import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { CampaignFlows } from '../../../campaigns/flows/campaign-flows.ts'
import { addressesCsv } from '../../../campaigns/http/campaign-addresses.ts'
import { addressedAnswer } from '../../../campaigns/http/campaigns.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { causeCodes } from '../../../domain/cause.ts'
import { Failure } from '../../../domain/failure.ts'
import type { SharedFlows } from '../../../flows/shared-flows.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { saveSession } from '../console-session.ts'
import { campaignCausesLocals, campaignLocals, campaignsLocals, newCampaignLocals } from '../locals/campaigns.ts'
import { frameLocals } from '../locals/frame.ts'
import { integrationNames } from '../locals/integration-names.ts'
import type { SentOnce } from '../sent-once.ts'
import { choice, MembersQuery, optional, pagerLocals, Reason, ReasonForm, text } from './queries.ts'

type Needs = {
  flows: Pick<
    CampaignFlows & SharedFlows,
    | 'startCampaign'
    | 'repeatAddresses'
    | 'countNeedingRelink'
    | 'countCausesOfNeed'
    | 'countClientless'
    | 'cancelCampaign'
    | 'listCampaigns'
    | 'readCampaign'
    | 'listCampaignMembers'
    | 'noteRefusal'
  >
  integrations: () => readonly CatalogueItem[]
  once: SentOnce
}

const CampaignQuery = z.strictObject({
  cause: choice(causeCodes),
  tenant: optional(text(63).trim().toLowerCase()),
  integration: optional(text(63)),
  days: choice(['1', '3', '7']).default('7'),
})
/** The cause is chosen last: which there are depends on the rest. */
const CampaignScope = CampaignQuery.extend({ cause: optional(CampaignQuery.shape.cause) })
const NewCampaign = CampaignQuery.extend({ reason: Reason, anyAccount: z.literal('yes').optional() })

const limit = 50

const campaignStarted = {
  text: 'The campaign has started. The file with its links is on its page.',
  href: () => '/support/campaigns',
}

/** Reconnects every connection that broke for one cause. Only admins start and cancel campaigns. */
export const campaignPages = ({ flows, integrations, once }: Needs) =>
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
      const { cause, ...scope } = CampaignScope.parse(req.query)
      const { tenant, integration } = scope
      const inScope = { tenant, testMode: modeOf(tenant), integration }
      if (!cause) {
        res.render('onboarding/support/campaign-causes', {
          ...campaignCausesLocals(scope, await flows.countCausesOfNeed(inScope), integrations()),
          ...frameLocals(req, res, '/support/campaigns'),
        })
        return
      }
      const need = { ...inScope, cause }
      const [all, known, clientless] = await Promise.all([
        flows.countNeedingRelink(need),
        flows.countNeedingRelink({ ...need, pinned: true }),
        flows.countClientless(need),
      ])
      res.render('onboarding/support/campaign-new', {
        ...newCampaignLocals({ ...scope, cause }, { all, known, clientless }, integrations()),
        ...frameLocals(req, res, '/support/campaigns'),
      })
    })
    .post(
      '/campaigns',
      actAs('admin', flows.noteRefusal),
      once(campaignStarted, async (req, res) => {
        const { days, anyAccount, ...query } = NewCampaign.parse(req.body)
        const need = { ...query, testMode: modeOf(query.tenant), anyAccount: anyAccount === 'yes' }
        const { campaign, seed } = await flows.startCampaign({
          ...need,
          ttlSeconds: Number(days) * 86_400,
          actor: supportActor(req, res),
        })
        // The URLs are not stored; this session alone can have them made again.
        req.session.campaignSeeds = { ...req.session.campaignSeeds, [campaign.id]: seed }
        await saveSession(req)
        res.redirect(303, `/support/campaigns/${campaign.id}?done=started`)
      }),
    )
    .get('/campaigns/:id/links.csv', async (req, res) => {
      const seed = seedOf(req)
      if (!seed)
        throw new Failure('not_found', 'The file is there for the admin who started the campaign, until they sign out.')
      const { campaign, members } = await flows.repeatAddresses(seed)
      res
        .type('text/csv')
        .attachment(`${campaign.id}.csv`)
        .send(addressesCsv(members.map(addressedAnswer)))
    })
    .get('/campaigns/:id', async (req, res) => {
      const { cursor } = MembersQuery.parse(req.query)
      const id = req.params.id
      const [progress, page] = await Promise.all([
        flows.readCampaign({ id }),
        flows.listCampaignMembers({ id, cursor, limit }),
      ])
      res.render('onboarding/support/campaign', {
        ...campaignLocals({
          progress,
          members: page.data,
          done: req.query.done,
          hasFile: seedOf(req) !== undefined,
          nameOf: integrationNames(integrations()),
          now: new Date(),
        }),
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

/** In the session of whoever started the campaign, and nowhere else. */
function seedOf(req: Request): string | undefined {
  const { campaignSeeds = {} } = req.session
  const id = String(req.params.id)
  return Object.hasOwn(campaignSeeds, id) ? campaignSeeds[id] : undefined
}

/** A campaign for everybody is for live tenants. */
const modeOf = (tenant: string | undefined): false | undefined => (tenant === undefined ? false : undefined)
