// Tenants in the console: everybody sees them, and only admins change them.
import type { Request, Response } from 'express'
import { z } from 'zod'
import { Secret } from '../../../../kit/crypto/secret.ts'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import type { CatalogueItem } from '../../../domain/catalogue/catalogue-item.ts'
import { tenantIdPattern } from '../../../domain/tenant.ts'
import { TenantBody } from '../../../tenants/http/tenants.ts'
import type { AreaFlows } from '../../flows/console-flows.ts'
import { actAs, supportActor, supportCaller } from '../console-guards.ts'
import { frameLocals } from '../locals/frame.ts'
import { newTenantLocals, type TenantDone, tenantLocals, tenantsLocals } from '../locals/tenants.ts'
import type { SentOnce } from '../sent-once.ts'
import { notConfirmed, optional, pagerLocals, Reason, ReasonForm, readParts, text } from './queries.ts'

type Needs = {
  flows: Pick<
    AreaFlows,
    | 'createTenant'
    | 'updateTenant'
    | 'suspendTenant'
    | 'reactivateTenant'
    | 'deleteTenant'
    | 'rotateSigningSecret'
    | 'readTenant'
    | 'listTenants'
    | 'listOwnClients'
    | 'putOwnClient'
    | 'deleteOwnClient'
    | 'listWebhooks'
    | 'noteRefusal'
  >
  integrations: () => readonly CatalogueItem[]
  once: SentOnce
}

const limit = 50

const field = text(2_000).trim()
const TenantFields = z.object({
  displayName: field,
  workspace: field,
  returnUrls: text(100_000).transform((lines) => lines.split('\n').map((line) => line.trim())),
})
const TenantForm = TenantFields.extend({ reason: Reason }).strict()
const newId = field.regex(tenantIdPattern, 'must have lowercase letters, digits and hyphens only')
const NewTenantForm = TenantForm.extend({ id: optional(newId) })
const DeleteForm = z.strictObject({ reason: Reason, confirm: text(200) })
const ClientForm = z.strictObject({
  reason: Reason,
  integration: text(63),
  clientId: field.min(1, 'is missing'),
  clientSecret: optional(text(2_000)),
})
const TenantsQuery = z.object({ cursor: optional(text(63)) })

const tenantSecretNotKept = {
  text: 'The signing secret was shown, once. If you didn’t copy it, open the tenant and rotate it.',
  href: () => '/support/tenants',
}
const signingSecretNotKept = {
  text: 'The new secret was shown, once. If you didn’t copy it, rotate it again.',
  href: (req: Request) => pageOf(String(req.params.id)),
}

export function tenantPages({ flows, integrations, once }: Needs) {
  const admin = actAs('admin', flows.noteRefusal)
  return exactRouter()
    .get('/tenants', async (req, res) => {
      const { cursor } = TenantsQuery.parse(req.query)
      const page = await flows.listTenants({ caller: supportCaller(req), cursor, limit })
      const pager = pagerLocals('/support/tenants', { cursor }, page.nextCursor)
      render(req, res, 'tenants', { ...tenantsLocals(page.data, new Date()), ...pager })
    })
    .get('/tenants/new', (req, res) => render(req, res, 'tenant-new', newTenantLocals()))
    .post(
      '/tenants',
      admin,
      once(tenantSecretNotKept, async (req, res) => {
        const { form, details } = readParts({
          form: () => NewTenantForm.parse(req.body),
          details: () => detailsIn(req.body),
        })
        const { id, reason } = form
        const asker = { caller: supportCaller(req), actor: supportActor(req, res) }
        const { tenant, signingSecret } = await flows.createTenant({ ...asker, id, details, reason, claim: undefined })
        const words = `Give the tenant this signing secret, which verifies results on return URLs. It won’t be shown again.`
        showSecret(req, res, { title: 'Tenant created', words, secret: signingSecret, tenant: tenant.id })
      }),
    )
    .get('/tenants/:id', async (req, res) => {
      const [caller, id] = [supportCaller(req), req.params.id]
      const tenant = await flows.readTenant({ caller, id })
      const [clients, webhooks] = await Promise.all([
        flows.listOwnClients({ caller, tenant: id }),
        flows.listWebhooks({ caller, tenant: id }),
      ])
      const shown = { tenant, clients, webhooks, integrations: integrations(), done: req.query.done, now: new Date() }
      render(req, res, 'tenant', tenantLocals(shown))
    })
    .post('/tenants/:id', admin, async (req, res) => {
      const { form, changes } = readParts({
        form: () => TenantForm.parse(req.body),
        changes: () => detailsIn(req.body),
      })
      await flows.updateTenant({ ...onTenant(req, res), reason: form.reason, changes })
      back(req, res, 'saved')
    })
    .post('/tenants/:id/suspend', admin, async (req, res) => {
      await flows.suspendTenant({ ...onTenant(req, res), ...ReasonForm.parse(req.body) })
      back(req, res, 'suspended')
    })
    .post('/tenants/:id/reactivate', admin, async (req, res) => {
      await flows.reactivateTenant({ ...onTenant(req, res), ...ReasonForm.parse(req.body) })
      back(req, res, 'reactivated')
    })
    .post('/tenants/:id/delete', admin, async (req, res) => {
      const { reason, confirm } = DeleteForm.parse(req.body)
      const asked = onTenant(req, res)
      if (confirm.trim() !== asked.id) {
        throw notConfirmed('The ID you typed doesn’t match this tenant.')
      }
      await flows.deleteTenant({ ...asked, reason })
      back(req, res, 'deleting')
    })
    .post(
      '/tenants/:id/signing-secret',
      admin,
      once(signingSecretNotKept, async (req, res) => {
        const { reason } = ReasonForm.parse(req.body)
        const asked = onTenant(req, res)
        const rotated = await flows.rotateSigningSecret({ ...asked, reason, afterSeconds: dayInSeconds })
        const words =
          'It signs results on return URLs from tomorrow on. Until then the tenant has to learn to accept both. It won’t be shown again.'
        showSecret(req, res, { title: 'New signing secret', words, secret: rotated.secret, tenant: asked.id })
      }),
    )
    .post('/tenants/:id/oauth-clients', admin, async (req, res) => {
      const { reason, integration, clientId, clientSecret } = ClientForm.parse(req.body)
      const secret = clientSecret === undefined ? undefined : new Secret(clientSecret)
      await flows.putOwnClient({ ...ofTenant(req, res), reason, integration, client: { id: clientId, secret } })
      back(req, res, 'client_saved')
    })
    .post('/tenants/:id/oauth-clients/:integration/delete', admin, async (req, res) => {
      const { reason } = ReasonForm.parse(req.body)
      await flows.deleteOwnClient({ ...ofTenant(req, res), reason, integration: String(req.params.integration) })
      back(req, res, 'client_deleted')
    })
}

const dayInSeconds = 24 * 60 * 60

/** Held to the same rules as the API. What is wrong with a return URL is said of its line. */
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
  caller: supportCaller(req),
  actor: supportActor(req, res),
  id: String(req.params.id),
})

export function ofTenant(req: Request, res: Response) {
  const { id: tenant, ...asker } = onTenant(req, res)
  return { ...asker, tenant }
}

export const pageOf = (id: string) => `/support/tenants/${encodeURIComponent(id)}`

export const back = (req: Request, res: Response, done: TenantDone) =>
  res.redirect(303, `${pageOf(String(req.params.id))}?done=${done}`)

type ShownOnce = { title: string; words: string; secret: Secret; tenant: string }

export function showSecret(req: Request, res: Response, { title, words, secret, tenant }: ShownOnce): void {
  const locals = { title, text: words, address: secret.reveal(), tools: undefined, back: pageOf(tenant) }
  render(req, res, 'result', locals)
}

function render(req: Request, res: Response, view: string, locals: object): void {
  res.render(`onboarding/support/${view}`, { ...locals, ...frameLocals(req, res, '/support/tenants') })
}
