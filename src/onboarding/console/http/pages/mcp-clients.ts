// The MCP clients that people allowed to use the function of a connection.
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { FunctionGrant } from '../../../domain/ports/function-access.ts'
import type { AreaFlows } from '../../flows/console-flows.ts'
import { actAs, supportActor } from '../console-guards.ts'
import { doneNotice } from '../locals/connection.ts'
import { frameLocals } from '../locals/frame.ts'
import { formatTime, shown } from '../locals/words.ts'
import { ReasonForm } from './queries.ts'

type Needs = { flows: Pick<AreaFlows, 'listFunctionGrants' | 'revokeFunctionGrant' | 'noteRefusal'> }

export const mcpClientPages = ({ flows }: Needs) =>
  exactRouter()
    .get('/connections/:id/mcp-clients', async (req, res) => {
      const grants = await flows.listFunctionGrants({ connectionId: req.params.id })
      const locals = { id: req.params.id, clients: grants.map(clientLocals), done: doneNotice(req.query.done) }
      res.render('onboarding/support/mcp-clients', { ...locals, ...frameLocals(req, res, '/support/connections') })
    })
    .post('/connections/:id/mcp-clients/:grant/revoke', actAs('agent', flows.noteRefusal), async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id: connectionId, grant: grantId } = req.params as { id: string; grant: string }
      await flows.revokeFunctionGrant({ connectionId, grantId, actor: supportActor(req, res), reason })
      res.redirect(303, `/support/connections/${encodeURIComponent(connectionId)}/mcp-clients?done=client_revoked`)
    })

const clientLocals = ({ id, account, app, scopes, createdAt }: FunctionGrant) => ({
  id,
  name: shown(app.name, 60),
  account: shown(account, 80),
  redirectsTo: shown(app.redirectsTo, 80),
  may: scopes.includes('tools:write') ? 'read and change data' : 'read data',
  since: formatTime(createdAt),
})
