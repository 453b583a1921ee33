// Each action requires a reason, the role, and a sign-in within the last 15 minutes.

import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { within } from '../../../../kit/process/background-work.ts'
import { createConnection } from '../../../connections/flows/by-tenant/create-connection.ts'
import { renameConnection } from '../../../connections/flows/by-tenant/rename-connection.ts'
import { checkHealth } from '../../../connections/flows/check-health.ts'
import { disconnect } from '../../../connections/flows/disconnect.ts'
import { relinkConnection } from '../../../connections/flows/relink-connection.ts'
import { rollback } from '../../../connections/flows/rollback.ts'
import { verifyConnection } from '../../../connections/flows/verify-connection.ts'
import { causeCodes } from '../../../domain/cause.ts'
import { mayActAs } from '../../../domain/console.ts'
import { Failure, missing } from '../../../domain/failure.ts'
import { maxWebhooks } from '../../../domain/webhooks/webhook.ts'
import { noteRefusal } from '../../../flows/note-refusal.ts'
import { Alias, LabelPairs, LabelsBody } from '../../../http/connection-names.ts'
import { cancelSession } from '../../../linking/flows/read-links.ts'
import { endStalledLink } from '../../../provisioning/flows/stalled-links/end-stalled-link.ts'
import { resumeByCause } from '../../../provisioning/flows/stalled-links/resume-by-cause.ts'
import { resumeLink } from '../../../provisioning/flows/stalled-links/resume-link.ts'
import { readDelivery, replayDelivery } from '../../../webhooks/flows/webhook-deliveries.ts'
import { showConnection } from '../../flows/read-support.ts'
import { actAs, askerOf, roleMissing, sessionOf, supportActor, supportCaller } from '../console-guards.ts'
import { saveSession } from '../console-session.ts'
import { firstSubmissionOnly } from '../form-guards.ts'
import type { Done } from '../locals/connection.ts'
import { renderSupport } from '../locals/frame.ts'
import { resumedNotice } from '../locals/lists/lists.ts'
import { reconnectLinkLocals } from '../locals/reconnect-link.ts'
import { replayLocals } from '../locals/webhooks.ts'
import type { PageParts } from '../page-parts.ts'
import { choice, DeliveryAt, notConfirmed, optional, queryOf, Reason, ReasonForm, text } from './queries.ts'

const DisconnectForm = z.strictObject({ reason: Reason, confirm: text(200) })
const ResumeLinksForm = z.strictObject({
  reason: Reason,
  cause: choice(causeCodes),
  tenant: optional(text(200)),
  integration: optional(text(200)),
})
const NewConnectionForm = z.strictObject({ reason: Reason, endUserId: text(200), integration: text(32) })
/** Allows spaces around commas. */
const LabelsField = z
  .string()
  .transform((text) =>
    text
      .split(',')
      .map((each) => each.trim())
      .join(','),
  )
  .pipe(LabelPairs)
  .pipe(LabelsBody)
const NamesForm = z.strictObject({ reason: Reason, alias: optional(Alias), labels: optional(LabelsField) })
const RelinkForm = z.strictObject({
  reason: Reason,
  days: choice(['1', '3', '7']).default('1'),
  allowOtherAccount: z.literal('yes').optional(),
  anyAccount: z.literal('yes').optional(),
})

export function actionPages({ ports, settings, languages }: PageParts) {
  const agent = actAs('agent', ports)
  const once = firstSubmissionOnly(ports)
  return exactRouter()
    .post('/links/:id/resume', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id } = req.params as { id: string }
      const asker = askerOf(req, res)
      const { done: work } = await resumeLink(ports, settings, { ...asker, id, reason })
      await within(work, waitMs)
      back(res, `/support/links/${id}`, 'resumed')
    })
    .post('/links/resume', agent, async (req, res) => {
      const { reason, ...which } = ResumeLinksForm.parse(req.body)
      const asker = askerOf(req, res)
      const { resumed, hasMore } = await resumeByCause(ports, { ...asker, ...which, reason })
      req.session.notice = resumedNotice(resumed, hasMore)
      await saveSession(req)
      res.redirect(303, `/support/links?${queryOf({ state: 'needs_attention', ...which })}`)
    })
    .post('/links/:id/end', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id } = req.params as { id: string }
      const asker = askerOf(req, res)
      const { done: work } = await endStalledLink(ports, settings, { ...asker, id, reason })
      await within(work, waitMs)
      back(res, `/support/links/${id}`, 'ended')
    })
    .post('/tenants/:tenant/connections', agent, once, async (req, res) => {
      const { endUserId, integration, reason } = NewConnectionForm.parse(req.body)
      const { tenant } = req.params as { tenant: string }
      const asked = { ...askerOf(req, res), tenant, integration, endUserId, reason }
      const { id } = await createConnection(ports, settings, asked)
      back(res, `/support/connections/${id}`, 'created')
    })
    .post('/connections/:id/names', agent, async (req, res) => {
      const { alias = null, labels = null, reason } = NamesForm.parse(req.body)
      await renameConnection(ports, { ...onConnection(req, res, reason), alias, labels })
      back(res, `/support/connections/${req.params.id}`, 'renamed')
    })
    .post('/connections/:id/relink', agent, once, async (req, res) => {
      const { days, allowOtherAccount, anyAccount, reason } = RelinkForm.parse(req.body)
      if (allowOtherAccount && !mayActAs(sessionOf(req).user.role, 'admin')) {
        await noteRefusal(ports, roleMissing(req, res, 'admin'))
        throw new Failure('role_missing', 'Only admins can allow a different account.')
      }
      const details = await showConnection(ports, String(req.params.id))
      if (!details.connection.account && !anyAccount) throw notAware()
      const link = await relinkConnection(ports, settings, {
        ...onConnection(req, res, reason),
        ttlSeconds: Number(days) * 86_400,
        allowOtherAccount: allowOtherAccount === 'yes',
      })
      const translator = languages.forLocale(link.session.endUser.locale)
      const locals = reconnectLinkLocals(link, details, translator)
      renderSupport(req, res, 'reconnect-link', '/support/connections', locals)
    })
    .post('/connections/:id/addresses/:session/cancel', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id, session } = req.params as { id: string; session: string }
      const { openAddresses } = await showConnection(ports, id)
      // Looked up by its connection, so that the path can't cancel another session.
      if (!openAddresses.some((address) => address.id === session)) {
        throw new Failure('not_found', 'This link was used, cancelled, or has expired.')
      }
      await cancelSession(ports, { ...askerOf(req, res), id: session, reason })
      back(res, `/support/connections/${id}`, 'cancelled')
    })
    .post('/connections/:id/check', agent, async (req, res) => {
      await checkHealth(ports, settings, onConnection(req, res, ReasonForm.parse(req.body).reason))
      back(res, `/support/connections/${req.params.id}`, 'checked')
    })
    .post('/connections/:id/verify', agent, async (req, res) => {
      const { tools } = await verifyConnection(
        ports,
        settings,
        onConnection(req, res, ReasonForm.parse(req.body).reason),
      )
      const text = `The function responded with ${tools.length === 1 ? 'one tool' : `${tools.length} tools`}.`
      done(req, res, { title: 'Verified over MCP', text, tools })
    })
    .post('/connections/:id/rollback', agent, async (req, res) => {
      const { done: work } = await rollback(ports, settings, onConnection(req, res, ReasonForm.parse(req.body).reason))
      await within(work, waitMs)
      back(res, `/support/connections/${req.params.id}`, 'rolled_back')
    })
    .post('/connections/:id/disconnect', agent, async (req, res) => {
      const { reason, confirm } = DisconnectForm.parse(req.body)
      const { connection } = await showConnection(ports, String(req.params.id))
      if (confirm.trim() !== connection.name) throw notConfirmed('The name you typed doesn’t match this connection.')
      const { done: work } = await disconnect(ports, settings, onConnection(req, res, reason))
      await within(work, waitMs)
      back(res, `/support/connections/${req.params.id}`, 'disconnecting')
    })
    .get('/webhooks/:tenant/:id', async (req, res) => {
      const delivery = await readDelivery(ports, { caller: supportCaller(req), ...deliveryIn(req) })
      const receivers = await ports.support.receivers(delivery.tenant, maxWebhooks)
      const receiver = receivers.find(({ id }) => id === delivery.webhook)
      renderSupport(req, res, 'delivery', '/support/webhooks', replayLocals(delivery, receiver))
    })
    .post('/webhooks/:tenant/:id/replay', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { tenant, id } = deliveryIn(req)
      const asker = askerOf(req, res)
      await replayDelivery(ports, settings, { ...asker, tenant, delivery: id, reason })
      back(res, `/support/webhooks?tenant=${encodeURIComponent(tenant)}`, 'replayed')
    })
}

/** Most work is finished by then; the rest continues in the background. */
const waitMs = 2_500

const unaware =
  'The account of this connection is unknown. Confirm that the first person to open the link connects their account.'

const notAware = () => new Failure('input_invalid', unaware, { errors: [{ pointer: '/anyAccount', detail: unaware }] })

/** Returns 404 for malformed IDs. */
function deliveryIn(req: Request) {
  const read = DeliveryAt.safeParse(req.params)
  if (!read.success) throw missing('delivery')
  return read.data
}

const onConnection = (req: Request, res: Response, reason: string) => ({
  connectionId: String(req.params.id),
  actor: supportActor(req, res),
  reason,
})

const back = (res: Response, path: string, what: Done | 'checked') =>
  res.redirect(303, `${path}${path.includes('?') ? '&' : '?'}done=${what}`)

type Outcome = { title: string; text: string; tools: string[] }

/** For results that are not stored. */
function done(req: Request, res: Response, outcome: Outcome): void {
  const locals = { ...outcome, back: `/support/connections/${req.params.id}` }
  renderSupport(req, res, 'result', '/support/connections', locals)
}
