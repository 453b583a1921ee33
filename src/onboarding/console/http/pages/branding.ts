import type { Request, Response } from 'express'
import { z } from 'zod'
import { exactRouter } from '../../../../kit/http/exact-routing.ts'
import { colorSchemes } from '../../../domain/branding/logo.ts'
import type { LocaleWording } from '../../../domain/branding/wording.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import { renderPage } from '../../../http/languages.ts'
import { connectLocals } from '../../../linking/http/locals/connect.ts'
import { deleteLogo, putLogo } from '../../../tenants/flows/manage-logos.ts'
import { readTenant, updateTenant } from '../../../tenants/flows/manage-tenants.ts'
import { Branding } from '../../../tenants/http/branding.ts'
import { actAs, askerOf, supportCaller } from '../console-guards.ts'
import { type BrandingDone, brandingLocals, sampleOffer } from '../locals/branding.ts'
import { renderSupport } from '../locals/frame.ts'
import type { PageParts } from '../page-parts.ts'
import { optional, Reason, ReasonForm, readParts, text } from './queries.ts'

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

export function brandingPages({ ports, languages }: PageParts) {
  const admin = actAs('admin', ports)
  const read = (req: Request) => readTenant(ports, { caller: supportCaller(req), id: String(req.params.id) })
  /** Opens as a page, because pages for end users must never be framed. */
  const preview = (req: Request, res: Response, tenant: Tenant, locale: string | undefined) => {
    const translator = languages.forVisitor(req, locale)
    const locals = { ...connectLocals(sampleOffer(tenant), translator), preview: true }
    renderPage(res, 'onboarding/connect', translator, locals)
  }
  return exactRouter()
    .get('/tenants/:id/branding', async (req, res) => {
      const locals = brandingLocals({ tenant: await read(req), locales: languages.locales, done: req.query.done })
      renderSupport(req, res, 'tenant-branding', '/support/tenants', locals)
    })
    .post('/tenants/:id/branding', admin, async (req, res) => {
      const { why, form } = readParts({ why: () => Why.parse(req.body), form: () => formOf(req) })
      await updateTenant(ports, { ...onTenant(req, res), ...why, changes: { branding: form.branding } })
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
      await putLogo(ports, { ...onTenant(req, res), scheme, file: image, reason })
      back(req, res, 'logo_saved')
    })
    .post('/tenants/:id/logos/:scheme/delete', admin, async (req, res) => {
      const { scheme } = LogoAt.parse(req.params)
      await deleteLogo(ports, { ...onTenant(req, res), scheme, ...ReasonForm.parse(req.body) })
      back(req, res, 'logo_deleted')
    })
}

/** Validated by the schema of the API, whose paths name the field. */
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
  ...askerOf(req, res),
  id: String(req.params.id),
})

const back = (req: Request, res: Response, done: BrandingDone) =>
  res.redirect(303, `/support/tenants/${encodeURIComponent(String(req.params.id))}/branding?done=${done}`)
