import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { statusOf } from '../../../domain/link.ts'
import { browserActor } from '../../../http/guards.ts'
import type { LinkingFlows } from '../../flows/linking-flows.ts'
import type { BrowserCookies } from '../browser-cookies.ts'
import { linkLocals } from '../locals/link.ts'

export type LinkPages = {
  flows: Pick<LinkingFlows, 'followLink' | 'consentAgain' | 'returnBrowser'>
  cookies: BrowserCookies
}

/** The progress page, for links that take longer than a redirect should. */
export const linkPages = ({ flows, cookies }: LinkPages) =>
  exactRouter()
    .get('/links/:id', async (req, res) => {
      const followed = await flows.followLink({ linkId: req.params.id, browsers: cookies.digests(req) })
      cookies.renew(req, res, followed.link.id)
      // The script asks with ?live and must not be sent to another site; it reloads the page once this has ended.
      const isOver = statusOf(followed.link.state) !== 'pending'
      if (isOver && followed.link.returnUrl !== undefined && req.query.live === undefined) {
        return res.redirect(303, await flows.returnBrowser(followed.link, browserActor(req, res)))
      }
      res.render('onboarding/link', { ...linkLocals(followed), requestId: requestIdOf(res) })
    })
    .get('/links/:id/consent', async (req, res) => {
      const asker = { browsers: cookies.digests(req), actor: browserActor(req, res) }
      const url = await flows.consentAgain({ linkId: req.params.id, ...asker })
      // The second consent may take as long as the first.
      cookies.renew(req, res, req.params.id)
      res.redirect(303, url)
    })
