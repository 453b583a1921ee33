import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { ConsoleFlows } from '../../flows/console-flows.ts'
import { type CostPage, connectionLocals, doneNotice, functionLocals, linkLocals } from '../locals/connection.ts'
import { frameLocals } from '../locals/frame.ts'

type Needs = {
  console: Pick<ConsoleFlows, 'showConnection' | 'showLink' | 'lookAtFunction'>
  platformConsoleUrl: string | undefined
}

export const detailPages = ({ console, platformConsoleUrl }: Needs) =>
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
      const locals = linkLocals(await console.showLink(req.params.id), new Date())
      const done = doneNotice(req.query.done)
      res.render('onboarding/support/link', { ...locals, done, ...frameLocals(req, res, '/support/links') })
    })

const costPage =
  (base: string | undefined): CostPage =>
  ({ workspace, functionName }) =>
    base && `${base}/billing/workspaces/${encodeURIComponent(workspace)}/functions/${encodeURIComponent(functionName)}`
