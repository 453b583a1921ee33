import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { listFunctionGrants, revokeFunctionGrant } from '../../../connections/flows/function-access.ts'
import { approveTools, readToolList } from '../../../connections/flows/tool-list.ts'
import type { FunctionGrant } from '../../../domain/ports/function-access.ts'
import type { ListedTool, ToolList } from '../../../domain/ports/tool-lists.ts'
import { linkPlaces } from '../../../domain/trace/link-places.ts'
import { lookAtFunction, showConnection, showLink, showPerson } from '../../flows/read-support.ts'
import { actAs, supportActor } from '../console-guards.ts'
import {
  type CostPage,
  checkedNotice,
  connectionLocals,
  doneNotice,
  functionLocals,
  linkLocals,
} from '../locals/connection.ts'
import { renderSupport } from '../locals/frame.ts'
import { personLocals } from '../locals/person.ts'
import { ago, appsIn, formatTime, shown } from '../locals/words.ts'
import type { PageParts } from '../page-parts.ts'
import { PersonQuery, Reason, ReasonForm, text } from './queries.ts'

export const detailPages = ({ ports, settings, platformConsoleUrl, viewers, integrations, languages }: PageParts) =>
  exactRouter()
    .get('/tenants/:tenant/users', async (req, res) => {
      const person = await showPerson(ports, req.params.tenant, PersonQuery.parse(req.query).id)
      const appOf = appsIn(integrations())
      const locals = personLocals({ person, appOf, translator: languages.english, now: new Date() })
      renderSupport(req, res, 'tenant-user', '/support/tenants', locals)
    })
    .get('/connections/:id', async (req, res) => {
      const details = await showConnection(ports, req.params.id)
      const locals = connectionLocals(details, costPage(platformConsoleUrl), new Date())
      const [newest] = details.health
      const isChecked = req.query.done === 'checked' && newest !== undefined
      const notice = isChecked ? checkedNotice(newest) : { done: doneNotice(req.query.done) }
      renderSupport(req, res, 'connection', '/support/connections', { ...locals, ...notice })
    })
    .get('/connections/:id/function', async (req, res) => {
      const locals = functionLocals(await lookAtFunction(ports, req.params.id))
      renderSupport(req, res, 'function', '/support/connections', locals)
    })
    .get('/links/:id', async (req, res) => {
      const details = await showLink(ports, req.params.id)
      const places = linkPlaces(details.timeline.link, viewers, settings.publicUrl)
      const locals = linkLocals(details, places, new Date())
      const done = doneNotice(req.query.done)
      renderSupport(req, res, 'link', '/support/links', { ...locals, done })
    })

const costPage =
  (base: string | undefined): CostPage =>
  ({ workspace, functionName }) =>
    base && `${base}/billing/workspaces/${encodeURIComponent(workspace)}/functions/${encodeURIComponent(functionName)}`

const ApprovalForm = z.strictObject({ reason: Reason, hash: text(64) })

export const toolPages = ({ ports }: PageParts) =>
  exactRouter()
    .get('/connections/:id/tools', async (req, res) => {
      const list = await readToolList(ports, { connectionId: req.params.id })
      const locals = { id: req.params.id, ...toolsLocals(list, new Date()), done: doneNotice(req.query.done) }
      renderSupport(req, res, 'tools', '/support/connections', locals)
    })
    .post('/connections/:id/tools/approve', actAs('agent', ports), async (req, res) => {
      const { reason, hash } = ApprovalForm.parse(req.body)
      const { id: connectionId } = req.params as { id: string }
      await approveTools(ports, { connectionId, actor: supportActor(req, res), reason, hash })
      res.redirect(303, `/support/connections/${encodeURIComponent(connectionId)}/tools?done=tools_approved`)
    })

function toolsLocals({ approved, pending, seenAt }: ToolList, now: Date) {
  const before = new Map(approved.tools.map((tool) => [tool.name, tool]))
  const after = new Map(pending?.tools.map((tool) => [tool.name, tool]))
  const of = (names: readonly string[], what: string) =>
    names.map((name) => ({
      name: shown(name, 80),
      what,
      before: detail(before.get(name)),
      after: detail(after.get(name)),
    }))
  return {
    seen: `${ago(seenAt, now)} ago`,
    tools: approved.tools.map(toolLocals),
    since: formatTime(approved.at),
    by: shown(approved.by, 80),
    pending: pending && {
      hash: pending.hash,
      since: `${ago(pending.since, now)} ago`,
      changes: [
        ...of(pending.change.added, 'New'),
        ...of(pending.change.changed, 'Changed'),
        ...of(pending.change.removed, 'Removed'),
      ],
      instructions: pending.change.instructionsChanged
        ? { before: whole(approved.instructions ?? ''), after: whole(pending.instructions ?? '') }
        : undefined,
    },
  }
}

const toolLocals = ({ name, description = '', readOnly }: ListedTool) => ({
  name: shown(name, 80),
  description: shown(description, 200),
  readOnly,
})

/** The complete definition, because a change may be anywhere in it. */
const detail = (tool: ListedTool | undefined): string | undefined =>
  tool && whole(JSON.stringify(tool.definition, null, 2))

/** Never truncated: a vendor could hide text behind the limit and have it approved. */
const whole = (text: string): string =>
  text
    .split('\n')
    .map((line) => shown(line, Number.POSITIVE_INFINITY))
    .join('\n')

export const mcpClientPages = ({ ports }: PageParts) =>
  exactRouter()
    .get('/connections/:id/mcp-clients', async (req, res) => {
      const grants = await listFunctionGrants(ports, { connectionId: req.params.id })
      const locals = { id: req.params.id, clients: grants.map(clientLocals), done: doneNotice(req.query.done) }
      renderSupport(req, res, 'mcp-clients', '/support/connections', locals)
    })
    .post('/connections/:id/mcp-clients/:grant/revoke', actAs('agent', ports), async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const { id: connectionId, grant: grantId } = req.params as { id: string; grant: string }
      await revokeFunctionGrant(ports, { connectionId, grantId, actor: supportActor(req, res), reason })
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
