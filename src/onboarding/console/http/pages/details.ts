import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { linkPlaces, type ViewerUrls } from '../../../domain/trace/link-places.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { type CostPage, connectionLocals, doneNotice, functionLocals, linkLocals } from '../locals/connection.ts'
import { frameLocals } from '../locals/frame.ts'

type Needs = {
  console: Pick<ConsoleFlows, 'showConnection' | 'showLink' | 'lookAtFunction'>
  platformConsoleUrl: string | undefined
  viewers: ViewerUrls
  publicUrl: string
}

export const detailPages = ({ console, platformConsoleUrl, viewers, publicUrl }: Needs) =>
  exactRouter()
    .get('/connections/:id', async (req, res) => {
      const details = await console.showConnection(req.params.id)
      const locals = connectionLocals(details, costPage(platformConsoleUrl), new Date())
      const done = doneNotice(req.query.done)
      res.render('onboarding/support/connection', { ...locals, done, ...frameLocals(req, res, '/support/connections') })
    })
    .get('/connections/:id/function', async (req, res) => {
      const locals = functionLocals(await console.lookAtFunction(req.params.id))
      res.render('onboarding/support/function', { ...locals, ...frameLocals(req, res, '/support/connections') })
    })
    .get('/links/:id', async (req, res) => {
      const details = await console.showLink(req.params.id)
      const places = linkPlaces(details.timeline.link, viewers, publicUrl)
      const locals = linkLocals(details, places, new Date())
      const done = doneNotice(req.query.done)
      res.render('onboarding/support/link', { ...locals, done, ...frameLocals(req, res, '/support/links') })
    })

const costPage =
  (base: string | undefined): CostPage =>
  ({ workspace, functionName }) =>
    base && `${base}/billing/workspaces/${encodeURIComponent(workspace)}/functions/${encodeURIComponent(functionName)}`
