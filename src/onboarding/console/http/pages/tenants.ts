import type { Request, Response } from 'express'
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { deleteTenant } from '../../../offboarding/flows/delete-tenant.ts'
import { deleteOwnClient, listOwnClients, putOwnClient } from '../../../tenants/flows/manage-oauth-clients.ts'
import {
  createTenant,
  listTenants,
  reactivateTenant,
  readTenant,
  rotateSigningSecret,
  suspendTenant,
  updateTenant,
} from '../../../tenants/flows/manage-tenants.ts'
import { TenantBody } from '../../../tenants/http/tenants.ts'
import { listWebhooks } from '../../../webhooks/flows/manage-webhooks.ts'
import { webhooksWithFailed } from '../../../webhooks/flows/webhook-deliveries.ts'
import { actAs, askerOf, supportCaller } from '../console-guards.ts'
import { firstSubmissionOnly } from '../form-guards.ts'
import { renderSupport } from '../locals/frame.ts'
import { figureDays, newTenantLocals, type TenantDone, tenantLocals, tenantsLocals } from '../locals/tenants.ts'
import type { PageParts } from '../page-parts.ts'
import { notConfirmed, optional, pagerLocals, Reason, ReasonForm, readParts, text } from './queries.ts'

const limit = 50

const field = text(2_000).trim()
const TenantFields = z.object({
  displayName: field,
  workspace: field,
  returnUrls: text(100_000).transform((lines) => lines.split('\n').map((line) => line.trim())),
})
const TenantForm = TenantFields.extend({ reason: Reason }).strict()
const newId = field.regex(tenantIdPattern, 'must only have lowercase letters, digits and hyphens')
const NewTenantForm = TenantForm.extend({ id: optional(newId) })
const DeleteForm = z.strictObject({ reason: Reason, confirm: text(200) })
const ClientForm = z.strictObject({
  reason: Reason,
  integration: text(63),
  clientId: field.min(1, 'is missing'),
  clientSecret: optional(text(2_000)),
})
const TenantsQuery = z.object({ cursor: optional(text(63)) })

export function tenantPages({ ports, settings, integrations }: PageParts) {
  const admin = actAs('admin', ports)
  const once = firstSubmissionOnly(ports)
  return exactRouter()
    .get('/tenants', async (req, res) => {
      const { cursor } = TenantsQuery.parse(req.query)
      const page = await listTenants(ports, { caller: supportCaller(req), cursor, limit })
      const pager = pagerLocals('/support/tenants', { cursor }, page.nextCursor)
      render(req, res, 'tenants', { ...tenantsLocals(page.data, new Date()), ...pager })
    })
    .get('/tenants/new', (req, res) => render(req, res, 'tenant-new', newTenantLocals()))
    .post('/tenants', admin, once, async (req, res) => {
      const { form, details } = readParts({
        form: () => NewTenantForm.parse(req.body),
        details: () => detailsIn(req.body),
      })
      const { id, reason } = form
      const asker = askerOf(req, res)
      const { tenant, signingSecret } = await createTenant(ports, { ...asker, id, details, reason, claim: undefined })
      const words = `Give the tenant this signing secret, which verifies results on return URLs. It won’t be shown again.`
      showSecret(req, res, { title: 'Tenant created', words, secret: signingSecret, tenant: tenant.id })
    })
    .get('/tenants/:id', async (req, res) => {
      const [caller, id] = [supportCaller(req), req.params.id]
      const tenant = await readTenant(ports, { caller, id })
      const [clients, webhooks, figures] = await Promise.all([
        listOwnClients(ports, { caller, tenant: id }),
        listWebhooks(ports, { caller, tenant: id }),
        ports.support.tenantFigures(id, figureDays),
      ])
      const withFailed = await webhooksWithFailed(ports, id, webhooks)
      const shown = {
        tenant,
        figures,
        clients,
        webhooks,
        withFailed,
        integrations: integrations(),
        done: req.query.done,
        now: new Date(),
      }
      render(req, res, 'tenant', tenantLocals(shown))
    })
    .post('/tenants/:id', admin, async (req, res) => {
      const { form, changes } = readParts({
        form: () => TenantForm.parse(req.body),
        changes: () => detailsIn(req.body),
      })
      await updateTenant(ports, { ...onTenant(req, res), reason: form.reason, changes })
      back(req, res, 'saved')
    })
    .post('/tenants/:id/suspend', admin, async (req, res) => {
      await suspendTenant(ports, { ...onTenant(req, res), ...ReasonForm.parse(req.body) })
      back(req, res, 'suspended')
    })
    .post('/tenants/:id/reactivate', admin, async (req, res) => {
      await reactivateTenant(ports, { ...onTenant(req, res), ...ReasonForm.parse(req.body) })
      back(req, res, 'reactivated')
    })
    .post('/tenants/:id/delete', admin, async (req, res) => {
      const { reason, confirm } = DeleteForm.parse(req.body)
      const asked = onTenant(req, res)
      if (confirm.trim() !== asked.id) {
        throw notConfirmed('The ID you typed doesn’t match this tenant.')
      }
      await deleteTenant(ports, settings, { ...asked, reason })
      back(req, res, 'deleting')
    })
    .post('/tenants/:id/signing-secret', admin, once, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      const asked = onTenant(req, res)
      const rotated = await rotateSigningSecret(ports, { ...asked, reason, afterSeconds: dayInSeconds })
      const words =
        'It signs results on return URLs from tomorrow on. Until then, the tenant must be changed to accept both secrets. It won’t be shown again.'
      showSecret(req, res, { title: 'New signing secret', words, secret: rotated.secret, tenant: asked.id })
    })
    .post('/tenants/:id/oauth-clients', admin, async (req, res) => {
      const { reason, integration, clientId, clientSecret } = ClientForm.parse(req.body)
      const secret = clientSecret === undefined ? undefined : new Secret(clientSecret)
      await putOwnClient(ports, { ...ofTenant(req, res), reason, integration, client: { id: clientId, secret } })
      back(req, res, 'client_saved')
    })
    .post('/tenants/:id/oauth-clients/:integration/delete', admin, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      await deleteOwnClient(ports, { ...ofTenant(req, res), reason, integration: String(req.params.integration) })
      back(req, res, 'client_deleted')
    })
}

const dayInSeconds = 24 * 60 * 60

/** Validated by the schema of the API. Errors name the line of a return URL. */
function detailsIn(form: unknown) {
  const { returnUrls: lines, ...fields } = TenantFields.parse(form)
  const filled = lines.flatMap((url, at) => (url === '' ? [] : [{ url, line: at + 1 }]))
  const read = TenantBody.safeParse({ ...fields, returnUrls: filled.map(({ url }) => url) })
  if (read.success) return read.data
  throw new z.ZodError(
    read.error.issues.map((issue) => {
      const [member, at] = issue.path
      if (member !== 'returnUrls' || typeof at !== 'number') return issue
      return { ...issue, path: [member], message: `The return URL in line ${filled[at]?.line} ${issue.message}` }
    }),
  )
}

const onTenant = (req: Request, res: Response) => ({
  ...askerOf(req, res),
  id: String(req.params.id),
})

export function ofTenant(req: Request, res: Response) {
  const { id: tenant, ...asker } = onTenant(req, res)
  return { ...asker, tenant }
}

const pageOf = (id: string) => `/support/tenants/${encodeURIComponent(id)}`

export const back = (req: Request, res: Response, done: TenantDone) =>
  res.redirect(303, `${pageOf(String(req.params.id))}?done=${done}`)

type ShownOnce = { title: string; words: string; secret: Secret; tenant: string }

export function showSecret(req: Request, res: Response, { title, words, secret, tenant }: ShownOnce): void {
  const locals = { title, text: words, address: secret.reveal(), tools: undefined, back: pageOf(tenant) }
  render(req, res, 'result', locals)
}

function render(req: Request, res: Response, view: string, locals: object): void {
  renderSupport(req, res, view, '/support/tenants', locals)
}
