import type { Request } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { within } from '../../../../kit/process/background-work.ts'
import { connectEnded } from '../../../domain/connect-session.ts'
import { Failure } from '../../../domain/failure.ts'
import { assertGet, browserActor, isNavigation } from '../../../http/guards.ts'
import { renderPage } from '../../../http/languages.ts'
import { type BrowserPages, brandErrors } from '../../../linking/http/page-owners.ts'
import { repairConnection, repairPageOwner, showRepairPage } from '../../flows/repair-connection.ts'
import { repairLocals } from '../locals/repair.ts'

const inlineMs = 2_500

const ticketPattern = /^[A-Za-z0-9_-]{43}$/

const Returned = z.object({ connect_session_id: z.string().max(64), completion_code: z.string().max(128) })

const idOf = (req: Request) => String(req.params.connectionId)

/** The platform sends the person whose call failed here, with a ticket. Without one, the tenant knows its users. */
export const repairPages = ({ ports, settings, languages }: Omit<BrowserPages, 'cookies'>) =>
  exactRouter()
    .get('/repair/:connectionId', async (req, res) => {
      assertGet(req, res)
      const { ticket } = req.query
      if (ticket !== undefined) {
        if (!isNavigation(req)) throw new Failure('input_invalid', 'This address must be opened as a page.')
        if (!ticketPattern.test(String(ticket))) throw connectEnded()
        const { data } = Returned.safeParse(req.query)
        const returned = data && { sessionId: data.connect_session_id, completionCode: data.completion_code }
        const asked = { connectionId: idOf(req), ticket: String(ticket), actor: browserActor(req, res), returned }
        const next = await repairConnection(ports, settings, asked)
        await within(next.done, inlineMs)
        return res.redirect(303, next.url)
      }
      const translator = languages.forError(req)
      renderPage(res, 'onboarding/repair', translator, repairLocals(await showRepairPage(ports, idOf(req)), translator))
    })
    .use(
      '/repair/:connectionId',
      brandErrors((req) => repairPageOwner(ports, idOf(req))),
    )
