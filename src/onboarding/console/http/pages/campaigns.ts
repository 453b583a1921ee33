import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { cancelCampaign } from '../../../campaigns/flows/cancel-campaign.ts'
import {
  countCausesOfNeed,
  countNeedingRelink,
  listCampaignMembers,
  listCampaigns,
  readCampaign,
} from '../../../campaigns/flows/read-campaigns.ts'
import { countClientless } from '../../../campaigns/flows/sort-by-client.ts'
import { repeatAddresses, startCampaign } from '../../../campaigns/flows/start-campaign.ts'
import { addressesCsv } from '../../../campaigns/http/campaign-addresses.ts'
import { addressedAnswer } from '../../../campaigns/http/campaigns.ts'
import { causeCodes } from '../../../domain/cause.ts'
import { Failure } from '../../../domain/failure.ts'
import { readSuggested } from '../../flows/read-support.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { saveSession } from '../console-session.ts'
import { firstSubmissionOnly } from '../form-guards.ts'
import { campaignCausesLocals, campaignLocals, campaignsLocals, newCampaignLocals } from '../locals/campaigns.ts'
import { renderSupport } from '../locals/frame.ts'
import { appsIn } from '../locals/words.ts'
import type { PageParts } from '../page-parts.ts'
import { choice, MembersQuery, optional, pagerLocals, Reason, ReasonForm, text } from './queries.ts'

const CampaignQuery = z.strictObject({
  cause: choice(causeCodes),
  tenant: optional(text(63).trim().toLowerCase()),
  integration: optional(text(63)),
  days: choice(['1', '3', '7']).default('7'),
})
/** The possible causes depend on the other fields. */
const CampaignScope = CampaignQuery.extend({ cause: optional(CampaignQuery.shape.cause) })
const NewCampaign = CampaignQuery.extend({ reason: Reason, anyAccount: z.literal('yes').optional() })

const limit = 50

export const campaignPages = ({ ports, settings, integrations }: PageParts) =>
  exactRouter()
    .get('/campaigns', async (req, res) => {
      const { cursor } = MembersQuery.parse(req.query)
      const [page, suggested] = await Promise.all([listCampaigns(ports, { cursor, limit }), readSuggested(ports)])
      renderSupport(req, res, 'campaigns', '/support/campaigns', {
        ...campaignsLocals(page.data, integrations(), suggested, new Date()),
        ...pagerLocals('/support/campaigns', { cursor }, page.nextCursor),
      })
    })
    .get('/campaigns/new', async (req, res) => {
      const { cause, ...scope } = CampaignScope.parse(req.query)
      const { tenant, integration } = scope
      const inScope = { tenant, testMode: modeOf(tenant), integration }
      if (!cause) {
        renderSupport(
          req,
          res,
          'campaign-causes',
          '/support/campaigns',
          campaignCausesLocals(scope, await countCausesOfNeed(ports, inScope), integrations()),
        )
        return
      }
      const need = { ...inScope, cause }
      const [all, known, clientless] = await Promise.all([
        countNeedingRelink(ports, need),
        countNeedingRelink(ports, { ...need, pinned: true }),
        countClientless(ports, need),
      ])
      renderSupport(req, res, 'campaign-new', '/support/campaigns', {
        ...newCampaignLocals({ ...scope, cause }, { all, known, clientless }, integrations()),
      })
    })
    .post('/campaigns', actAs('admin', ports), firstSubmissionOnly(ports), async (req, res) => {
      const { days, anyAccount, ...query } = NewCampaign.parse(req.body)
      const need = { ...query, testMode: modeOf(query.tenant), anyAccount: anyAccount === 'yes' }
      const { campaign, seed } = await startCampaign(ports, settings, {
        ...need,
        ttlSeconds: Number(days) * 86_400,
        actor: supportActor(req, res),
      })
      // The URLs are not stored; only this session can regenerate them.
      req.session.campaignSeeds = { ...req.session.campaignSeeds, [campaign.id]: seed }
      await saveSession(req)
      res.redirect(303, `/support/campaigns/${campaign.id}?done=started`)
    })
    .get('/campaigns/:id/links.csv', async (req, res) => {
      const seed = seedOf(req)
      if (!seed)
        throw new Failure(
          'not_found',
          'The file is only available to the admin who started the campaign, until they sign out.',
        )
      const { campaign, members } = await repeatAddresses(ports, settings, seed)
      res
        .type('text/csv')
        .attachment(`${campaign.id}.csv`)
        .send(addressesCsv(members.map(addressedAnswer)))
    })
    .get('/campaigns/:id', async (req, res) => {
      const { cursor } = MembersQuery.parse(req.query)
      const id = req.params.id
      const [progress, page] = await Promise.all([
        readCampaign(ports, { id }),
        listCampaignMembers(ports, { id, cursor, limit }),
      ])
      renderSupport(req, res, 'campaign', '/support/campaigns', {
        ...campaignLocals({
          progress,
          members: page.data,
          done: req.query.done,
          hasFile: seedOf(req) !== undefined,
          appOf: appsIn(integrations()),
          now: new Date(),
        }),
        ...pagerLocals(`/support/campaigns/${encodeURIComponent(id)}`, { cursor }, page.nextCursor),
      })
    })
    .post('/campaigns/:id/cancel', actAs('admin', ports), async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { campaign } = await cancelCampaign(ports, {
        id: String(req.params.id),
        actor: supportActor(req, res),
        reason,
      })
      res.redirect(303, `/support/campaigns/${campaign.id}?done=cancelled`)
    })

function seedOf(req: Request): string | undefined {
  const { campaignSeeds = {} } = req.session
  const id = String(req.params.id)
  return Object.hasOwn(campaignSeeds, id) ? campaignSeeds[id] : undefined
}

/** A campaign for all tenants only includes live ones. */
const modeOf = (tenant: string | undefined): false | undefined => (tenant === undefined ? false : undefined)
