// What people of the console can do. Each needs a reason, the role, and a sign-in of the last minutes.
import { type Request, type Response, Router } from 'express'
import { z } from 'zod'
import { mayActAs } from '../../../domain/console.ts'
import { Failure } from '../../../domain/failure.ts'
import type { ConsoleFlows } from '../../../flows/console-flows.ts'
import type { Flows } from '../../../flows/flows.ts'
import { actAs, sessionOf, supportActor, supportCaller } from '../../console-guards.ts'
import type { Done } from '../../locals/support/connection.ts'
import { frameLocals } from '../../locals/support/frame.ts'

type Needs = { flows: Flows; console: Pick<ConsoleFlows, 'showConnection'> }

const Reason = z.string().trim().min(3, 'Say why, in a few words.').max(300)
const Plain = z.strictObject({ reason: Reason })
const Relink = z.strictObject({
  reason: Reason,
  days: z.enum(['1', '3', '7']).default('1'),
  allowOtherAccount: z.literal('yes').optional(),
})

export function deedPages({ flows, console }: Needs) {
  const agent = actAs('agent', flows.noteRefusal)
  return Router()
    .post('/links/:id/resume', agent, async (req, res) => {
      const { reason } = Plain.parse(req.body)
      const { id } = req.params as { id: string }
      await flows.resumeLink({ caller: supportCaller(req), actor: supportActor(req, res), id, reason })
      back(res, `/support/links/${id}`, 'resumed')
    })
    .post('/connections/:id/relink', agent, async (req, res) => {
      const { days, allowOtherAccount, reason } = Relink.parse(req.body)
      if (allowOtherAccount && !mayActAs(sessionOf(req).user.role, 'admin')) {
        throw new Failure('role_missing', 'Only an admin may let a connection change to another account.')
      }
      const { url } = await flows.relinkConnection({
        ...onConnection(req, res, reason),
        ttlSeconds: Number(days) * 86_400,
        allowOtherAccount: allowOtherAccount === 'yes',
      })
      const text = `Send it to the user. It works for ${days === '1' ? 'one day' : `${days} days`}, and is shown only now.`
      done(req, res, { title: 'Re-link address', text, address: url })
    })
    .post('/connections/:id/addresses/:session/cancel', agent, async (req, res) => {
      const { reason } = Plain.parse(req.body)
      const { id, session } = req.params as { id: string; session: string }
      const { openAddresses } = await console.showConnection(id)
      // By its connection, so that an id in the address cannot cancel anything else.
      if (!openAddresses.some((address) => address.id === session)) {
        throw new Failure('not_found', 'This address was used, cancelled, or has ended.')
      }
      await flows.cancelSession({ caller: supportCaller(req), actor: supportActor(req, res), id: session, reason })
      back(res, `/support/connections/${id}`, 'cancelled')
    })
    .get('/webhooks/:tenant/:id', (req, res) => {
      const { tenant, id } = req.params
      res.render('onboarding/support/webhook', {
        title: 'Replay',
        tenant,
        id,
        ...frameLocals(req, res, '/support/webhooks'),
      })
    })
    .post('/webhooks/:tenant/:id/replay', agent, async (req, res) => {
      const { reason } = Plain.parse(req.body)
      const { tenant, id } = req.params as { tenant: string; id: string }
      await flows.replayDelivery({
        caller: supportCaller(req),
        actor: supportActor(req, res),
        tenant,
        delivery: id,
        reason,
      })
      back(res, `/support/webhooks?tenant=${encodeURIComponent(tenant)}`, 'replayed')
    })
}

const onConnection = (req: Request, res: Response, reason: string) => ({
  connectionId: String(req.params.id),
  actor: supportActor(req, res),
  reason,
})

/** To where it was asked for; which words are shown there is for that page to say. */
const back = (res: Response, path: string, what: Done) =>
  res.redirect(303, `${path}${path.includes('?') ? '&' : '?'}done=${what}`)

type Outcome = { title: string; text: string; address?: string; tools?: string[] }

/** For what is shown once and kept nowhere. */
function done(req: Request, res: Response, outcome: Outcome): void {
  const locals = { address: undefined, tools: undefined, ...outcome, back: `/support/connections/${req.params.id}` }
  res.render('onboarding/support/done', { ...locals, ...frameLocals(req, res, '/support/connections') })
}
