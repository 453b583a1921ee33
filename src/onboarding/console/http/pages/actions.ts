// Actions of the console. Each requires a reason, the role, and a sign-in within the last 15 minutes.

import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { within } from '../../../../kit/process/background-work.ts'
import { causeCodes } from '../../../domain/cause.ts'
import { mayActAs } from '../../../domain/console.ts'
import { Failure, missing } from '../../../domain/failure.ts'
import type { GrantLimit } from '../../../domain/stored-grant.ts'
import { mostWebhooks } from '../../../domain/webhooks/webhook.ts'
import type { AreaFlows, ConsoleFlows } from '../../flows/console-flows.ts'
import { actAs, roleMissing, sessionOf, supportActor, supportCaller } from '../console-guards.ts'
import { saveSession } from '../console-session.ts'
import type { Done } from '../locals/connection.ts'
import { frameLocals } from '../locals/frame.ts'
import { resumedNotice } from '../locals/lists.ts'
import { replayLocals } from '../locals/webhooks.ts'
import type { SentOnce } from '../sent-once.ts'
import { choice, DeliveryAt, notConfirmed, optional, queryOf, Reason, ReasonForm, text } from './queries.ts'

type Needs = { flows: AreaFlows; console: Pick<ConsoleFlows, 'showConnection' | 'listReceivers'>; once: SentOnce }

const DisconnectForm = z.strictObject({ reason: Reason, confirm: text(200) })
const ResumeLinksForm = z.strictObject({
  reason: Reason,
  cause: choice(causeCodes),
  tenant: optional(text(200)),
  integration: optional(text(200)),
})
const RelinkForm = z.strictObject({
  reason: Reason,
  days: choice(['1', '3', '7']).default('1'),
  allowOtherAccount: z.literal('yes').optional(),
  anyAccount: z.literal('yes').optional(),
})

const linkNotKept = {
  text: 'The link was shown, once. If you didn’t copy it, cancel it under “Open reconnect links” and create another one.',
  href: (req: Request) => `/support/connections/${encodeURIComponent(String(req.params.id))}`,
}

export function actionPages({ flows, console, once }: Needs) {
  const agent = actAs('agent', flows.noteRefusal)
  return exactRouter()
    .post('/links/:id/resume', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id } = req.params as { id: string }
      const asker = { caller: supportCaller(req), actor: supportActor(req, res) }
      const { done: work } = await flows.resumeLink({ ...asker, id, reason })
      await within(work, waitMs)
      back(res, `/support/links/${id}`, 'resumed')
    })
    .post('/links/resume', agent, async (req, res) => {
      const { reason, ...which } = ResumeLinksForm.parse(req.body)
      const asker = { caller: supportCaller(req), actor: supportActor(req, res) }
      const { resumed, hasMore } = await flows.resumeByCause({ ...asker, ...which, reason })
      req.session.notice = resumedNotice(resumed, hasMore)
      await saveSession(req)
      res.redirect(303, `/support/links?${queryOf({ state: 'needs_attention', ...which })}`)
    })
    .post('/links/:id/end', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id } = req.params as { id: string }
      const asker = { caller: supportCaller(req), actor: supportActor(req, res) }
      const { done: work } = await flows.endStalledLink({ ...asker, id, reason })
      await within(work, waitMs)
      back(res, `/support/links/${id}`, 'ended')
    })
    .post(
      '/connections/:id/relink',
      agent,
      once(linkNotKept, async (req, res) => {
        const { days, allowOtherAccount, anyAccount, reason } = RelinkForm.parse(req.body)
        if (allowOtherAccount && !mayActAs(sessionOf(req).user.role, 'admin')) {
          await flows.noteRefusal(roleMissing(req, res, 'admin'))
          throw new Failure('role_missing', 'Only admins can allow a different account.')
        }
        const { account } = (await console.showConnection(String(req.params.id))).connection
        if (!account && !anyAccount) throw notAware()
        const { session, url, grantLimit } = await flows.relinkConnection({
          ...onConnection(req, res, reason),
          ttlSeconds: Number(days) * 86_400,
          allowOtherAccount: allowOtherAccount === 'yes',
        })
        const lasts = Math.round((session.expiresAt.getTime() - session.createdAt.getTime()) / 86_400_000)
        const text = `Send it to the user. It expires after ${lasts === 1 ? 'one day' : `${lasts} days`} and won’t be shown again.`
        const warning = account ? '' : ` ${notCompared}`
        done(req, res, { title: 'Reconnect link', text: `${text}${warning}${limitWords(grantLimit)}`, address: url })
      }),
    )
    .post('/connections/:id/addresses/:session/cancel', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id, session } = req.params as { id: string; session: string }
      const { openAddresses } = await console.showConnection(id)
      // Looked up by its connection, so that an id in the path cannot cancel any other session.
      if (!openAddresses.some((address) => address.id === session)) {
        throw new Failure('not_found', 'This link was used, cancelled, or has expired.')
      }
      await flows.cancelSession({ caller: supportCaller(req), actor: supportActor(req, res), id: session, reason })
      back(res, `/support/connections/${id}`, 'cancelled')
    })
    .post('/connections/:id/check', agent, async (req, res) => {
      await flows.checkHealth(onConnection(req, res, ReasonForm.parse(req.body).reason))
      back(res, `/support/connections/${req.params.id}`, 'checked')
    })
    .post('/connections/:id/verify', agent, async (req, res) => {
      const { tools } = await flows.verifyConnection(onConnection(req, res, ReasonForm.parse(req.body).reason))
      const text = `The function responded with ${tools.length === 1 ? 'one tool' : `${tools.length} tools`}.`
      done(req, res, { title: 'Verified over MCP', text, tools })
    })
    .post('/connections/:id/rollback', agent, async (req, res) => {
      const { done: work } = await flows.rollback(onConnection(req, res, ReasonForm.parse(req.body).reason))
      await within(work, waitMs)
      back(res, `/support/connections/${req.params.id}`, 'rolled_back')
    })
    .post('/connections/:id/disconnect', agent, async (req, res) => {
      const { reason, confirm } = DisconnectForm.parse(req.body)
      const { connection } = await console.showConnection(String(req.params.id))
      if (confirm.trim() !== connection.name) throw notConfirmed('The name you typed doesn’t match this connection.')
      const { done: work } = await flows.disconnect(onConnection(req, res, reason))
      await within(work, waitMs)
      back(res, `/support/connections/${req.params.id}`, 'disconnecting')
    })
    .get('/webhooks/:tenant/:id', async (req, res) => {
      const delivery = await flows.readDelivery({ caller: supportCaller(req), ...deliveryIn(req) })
      const receivers = await console.listReceivers(delivery.tenant, mostWebhooks)
      const receiver = receivers.find(({ id }) => id === delivery.webhook)
      res.render('onboarding/support/delivery', {
        ...replayLocals(delivery, receiver),
        ...frameLocals(req, res, '/support/webhooks'),
      })
    })
    .post('/webhooks/:tenant/:id/replay', agent, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { tenant, id } = deliveryIn(req)
      const asker = { caller: supportCaller(req), actor: supportActor(req, res) }
      await flows.replayDelivery({ ...asker, tenant, delivery: id, reason })
      back(res, `/support/webhooks?tenant=${encodeURIComponent(tenant)}`, 'replayed')
    })
}

/** Most of the work is finished by then; what takes longer continues in the background. */
const waitMs = 2_500

const unaware =
  'It isn’t known whose account this is. Confirm that the first person to open the link connects their account.'

const notAware = () => new Failure('input_invalid', unaware, { errors: [{ pointer: '/anyAccount', detail: unaware }] })

const notCompared = 'The account will not be compared: send it by a way that only this user reads.'

/** A decoded path segment may contain anything, also slashes and a query: what is not an id is not found. */
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

/** Back to the page of the action, which shows the notice for this code. */
const back = (res: Response, path: string, what: Done) =>
  res.redirect(303, `${path}${path.includes('?') ? '&' : '?'}done=${what}`)

type Outcome = { title: string; text: string; address?: string; tools?: string[] }

/** For results that are shown once and not stored. */
function done(req: Request, res: Response, outcome: Outcome): void {
  const locals = { address: undefined, tools: undefined, ...outcome, back: `/support/connections/${req.params.id}` }
  res.render('onboarding/support/result', { ...locals, ...frameLocals(req, res, '/support/connections') })
}

/** Said before the user follows the link: the new grant may end one that somebody uses. */
const limitWords = (limit: GrantLimit | undefined): string =>
  limit === undefined
    ? ''
    : ` This account has ${limit.live} of ${limit.limit} grants that the app allows: ${limit.beyond === 'refused' ? 'the app may refuse another one' : 'a new one ends the oldest, which another connection may use'}.`
