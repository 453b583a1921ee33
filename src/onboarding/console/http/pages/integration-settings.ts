import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { rollBackSettings } from '../../../settings/flows/change-integration.ts'
import {
  listToolPolicyVersions,
  type PolicyOwner,
  readToolPolicyVersion,
  rollBackToolPolicy,
} from '../../../settings/flows/change-tool-policy.ts'
import { findSettings, listVersions, type ShownVersion } from '../../../settings/flows/read-settings.ts'
import { actAs, supportActor, supportCaller } from '../console-guards.ts'
import { renderSupport } from '../locals/frame.ts'
import { policyLocals, settingsLocals } from '../locals/settings/integration-settings.ts'
import type { PageParts } from '../page-parts.ts'
import { optional, pagerLocals, Reason } from './queries.ts'

const limit = 20

const version = z.coerce.number('must be a version').int().min(0)
const SettingsQuery = z.object({ cursor: optional(z.string().regex(/^\d{1,15}$/, 'is not a valid page')) })
const PolicyRollbackForm = z.strictObject({ reason: Reason, version, ifVersion: version })
const RollbackForm = PolicyRollbackForm.extend({ breakConnections: z.literal('yes').optional() })

/** One more than a page is read, because each version is shown with what it changed. */
const pageOf = (data: readonly ShownVersion[]) => {
  const versions = data.slice(0, limit)
  const nextCursor = data.length > limit ? String(versions.at(-1)?.version) : undefined
  return { listed: { versions, before: data[limit]?.entry, now: new Date() }, nextCursor }
}

export const settingsPages = ({ ports, settings }: PageParts) =>
  exactRouter()
    .get('/doctor/:integration/settings', async (req, res) => {
      const { cursor } = SettingsQuery.parse(req.query)
      const integration = String(req.params.integration)
      const found = await findSettings(ports, integration)
      const page = await listVersions(ports.settingVersions, { subject: integration, cursor, limit: limit + 1 })
      const { listed, nextCursor } = pageOf(page.data)
      const name = ports.integrations.find(integration)?.displayName ?? integration
      const locals = settingsLocals({ name, settings: found, ...listed })
      const pager = pagerLocals(`/support/doctor/${encodeURIComponent(integration)}/settings`, { cursor }, nextCursor)
      renderSupport(req, res, 'setting-versions', '/support/doctor', { ...locals, ...pager })
    })
    .post('/doctor/:integration/settings/rollback', actAs('admin', ports), async (req, res) => {
      const { version: to, breakConnections, ...form } = RollbackForm.parse(req.body)
      const integration = String(req.params.integration)
      const change = {
        ...form,
        actor: supportActor(req, res),
        integration,
        breakConnections: breakConnections === 'yes',
      }
      await rollBackSettings(ports, settings, { ...change, to })
      res.redirect(303, `/support/doctor/${encodeURIComponent(integration)}/settings`)
    })

type Crumb = { href: string; text: string }

type PolicyPlace = { owner: PolicyOwner; path: string; crumbs: readonly [List, ...Crumb[]] }

const lists = {
  tenants: { href: '/support/tenants', text: 'Tenants' },
  connections: { href: '/support/connections', text: 'Connections' },
} as const

type List = (typeof lists)[keyof typeof lists]

function tenantPlace(req: Request): PolicyPlace {
  const { id, page, crumbs } = parentIn(req, lists.tenants)
  return { owner: { caller: supportCaller(req), tenant: id }, path: `${page}/tool-policy`, crumbs }
}

function connectionPlace(req: Request): PolicyPlace {
  const { id, page, crumbs } = parentIn(req, lists.connections)
  const grant = req.params.grant === undefined ? undefined : String(req.params.grant)
  const owner = { caller: supportCaller(req), connection: id, ...(grant !== undefined && { grant }) }
  if (grant === undefined) return { owner, path: `${page}/tool-policy`, crumbs }
  const clients = `${page}/mcp-clients`
  const path = `${clients}/${encodeURIComponent(grant)}/tool-policy`
  return { owner, path, crumbs: [...crumbs, { href: clients, text: 'MCP clients' }] }
}

function parentIn(req: Request, list: List) {
  const id = String(req.params.id)
  const page = `${list.href}/${encodeURIComponent(id)}`
  return { id, page, crumbs: [list, { href: page, text: id }] as const }
}

export const policyPages = ({ ports }: PageParts) => {
  const admin = actAs('admin', ports)
  const show = async (req: Request, res: Response, { owner, path, crumbs }: PolicyPlace) => {
    const { cursor } = SettingsQuery.parse(req.query)
    const current = await readToolPolicyVersion(ports, owner)
    const { data } = await listToolPolicyVersions(ports, { owner, cursor, limit: limit + 1 })
    const { listed, nextCursor } = pageOf(data)
    const locals = policyLocals({ crumbs, path, version: current, ...listed })
    const pager = pagerLocals(path, { cursor }, nextCursor)
    renderSupport(req, res, 'setting-versions', crumbs[0].href, { ...locals, ...pager })
  }
  const rollBack = async (req: Request, res: Response, { owner, path }: PolicyPlace) => {
    const { version: to, ...form } = PolicyRollbackForm.parse(req.body)
    await rollBackToolPolicy(ports, { ...owner, actor: supportActor(req, res), to, ...form })
    res.redirect(303, path)
  }
  const places = [
    ['/tenants/:id/tool-policy', tenantPlace],
    ['/connections/:id/tool-policy', connectionPlace],
    ['/connections/:id/mcp-clients/:grant/tool-policy', connectionPlace],
  ] as const
  const router = exactRouter()
  for (const [path, placeOf] of places) {
    router.get(path, (req, res) => show(req, res, placeOf(req)))
    router.post(`${path}/rollback`, admin, (req, res) => rollBack(req, res, placeOf(req)))
  }
  return router
}
