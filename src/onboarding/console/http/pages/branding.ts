// How a tenant's pages look, in the console: everybody sees it, and only admins change it.
import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { requestIdOf } from '../../../../kit/http/request-id.ts'
import { colorSchemes } from '../../../domain/branding/logo.ts'
import type { LocaleWording } from '../../../domain/branding/wording.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import { type Languages, renderPage } from '../../../http/languages.ts'
import { connectLocals } from '../../../linking/http/locals/connect.ts'
import { Branding } from '../../../tenants/http/branding.ts'
import type { AreaFlows } from '../../flows/console-flows.ts'
import { actAs, supportActor, supportCaller } from '../console-guards.ts'
import { type BrandingDone, brandingLocals, sampleOffer } from '../locals/branding.ts'
import { frameLocals } from '../locals/frame.ts'
import { optional, Reason, ReasonForm, readParts, text } from './queries.ts'

type Needs = {
  flows: Pick<AreaFlows, 'readTenant' | 'updateTenant' | 'putLogo' | 'deleteLogo' | 'noteRefusal'>
  languages: Languages
}

const field = text(2_000).trim()
const BrandingForm = z
  .object({
    accentColor: optional(field),
    supportUrl: optional(field),
    privacyUrl: optional(field),
    termsUrl: optional(field),
    previewLocale: optional(text(35)),
  })
  .catchall(text(1_000).trim())
const Why = z.object({ reason: Reason })
const LogoForm = z.strictObject({ reason: Reason, image: z.instanceof(Buffer, { error: 'is missing' }) })
const LogoAt = z.object({ id: z.string(), scheme: z.enum(colorSchemes) })
const PreviewQuery = z.object({ previewLocale: optional(text(35)) })

export function brandingPages({ flows, languages }: Needs) {
  const admin = actAs('admin', flows.noteRefusal)
  const read = (req: Request) => flows.readTenant({ caller: supportCaller(req), id: String(req.params.id) })
  /** The very page that users see, on its own: pages of users are never framed, not even by us. */
  const preview = (req: Request, res: Response, tenant: Tenant, locale: string | undefined) => {
    const translator = languages.forVisitor(req, locale)
    const locals = { ...connectLocals(sampleOffer(tenant), translator), preview: true, requestId: requestIdOf(res) }
    renderPage(res, 'onboarding/connect', translator, locals)
  }
  return exactRouter()
    .get('/tenants/:id/branding', async (req, res) => {
      const locals = brandingLocals({ tenant: await read(req), locales: languages.locales, done: req.query.done })
      res.render('onboarding/support/tenant-branding', { ...locals, ...frameLocals(req, res, '/support/tenants') })
    })
    .post('/tenants/:id/branding', admin, async (req, res) => {
      const { why, form } = readParts({ why: () => Why.parse(req.body), form: () => formOf(req) })
      await flows.updateTenant({ ...onTenant(req, res), ...why, changes: { branding: form.branding } })
      back(req, res, 'saved')
    })
    .get('/tenants/:id/branding/preview', async (req, res) => {
      preview(req, res, await read(req), PreviewQuery.parse(req.query).previewLocale)
    })
    .post('/tenants/:id/branding/preview', async (req, res) => {
      const { branding, previewLocale } = formOf(req)
      preview(req, res, { ...(await read(req)), branding }, previewLocale)
    })
    .post('/tenants/:id/logos/:scheme', admin, async (req, res) => {
      const { scheme } = LogoAt.parse(req.params)
      const { reason, image } = LogoForm.parse(req.body)
      await flows.putLogo({ ...onTenant(req, res), scheme, file: image, reason })
      back(req, res, 'logo_saved')
    })
    .post('/tenants/:id/logos/:scheme/delete', admin, async (req, res) => {
      const { scheme } = LogoAt.parse(req.params)
      await flows.deleteLogo({ ...onTenant(req, res), scheme, ...ReasonForm.parse(req.body) })
      back(req, res, 'logo_deleted')
    })
}

/** Held to the same rules as the API, whose paths say which field is wrong. */
function formOf(req: Request) {
  const { accentColor, supportUrl, privacyUrl, termsUrl, previewLocale, ...rest } = BrandingForm.parse(req.body)
  const wording: Record<string, LocaleWording> = {}
  for (const [name, value] of Object.entries(rest)) {
    const [, locale, which] = /^wording\.([A-Za-z0-9-]{2,35})\.(intro|help)$/.exec(name) ?? []
    if (locale && value !== '') wording[locale] = { ...wording[locale], [String(which)]: value }
  }
  const words = Object.keys(wording).length > 0 ? wording : undefined
  const branding = Branding.parse({ accentColor, supportUrl, privacyUrl, termsUrl, wording: words })
  return { branding, previewLocale }
}

const onTenant = (req: Request, res: Response) => ({
  caller: supportCaller(req),
  actor: supportActor(req, res),
  id: String(req.params.id),
})

const back = (req: Request, res: Response, done: BrandingDone) =>
  res.redirect(303, `/support/tenants/${encodeURIComponent(String(req.params.id))}/branding?done=${done}`)
