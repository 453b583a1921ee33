import { randomUUID } from 'node:crypto'
import type { Application, Response } from 'express'
import { escapeHtml } from '../../../../kit/http/pages.ts'
import type { Translator } from '../../../../kit/messages/translator.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import { languageHeaders, languageLocals } from '../../../http/languages.ts'
import { brandLocals } from '../locals/brand.ts'

/** Bounds the cache: subdomains typed by users and tenant branding create new entries. */
export const maxPages = 2_000

/** Rendered once per host, language and branding. The URL is filled in per visitor. `lead`: the message key. */
export function redirectPages(lead: string) {
  const known = new Map<string, Promise<string[]>>()
  // Random: tenants write on these pages, and a known placeholder would let them inject the URL.
  const placeholder = `about:${randomUUID()}`

  const partsFor = (app: Application, { host, tenant }: Look, translator: Translator): Promise<string[]> => {
    const brand = tenant && brandLocals(tenant, translator)
    const key = JSON.stringify([translator.lang, host, brand])
    const parts = known.get(key) ?? renderParts(app, { host, lead, brand, placeholder }, translator)
    if (!known.has(key) && known.size >= maxPages) known.delete(known.keys().next().value as string)
    known.set(key, parts)
    return parts
  }

  return async (res: Response, { url, tenant }: Way, translator: Translator): Promise<void> => {
    const parts = await partsFor(res.app, { host: new URL(url).host, tenant }, translator)
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    languageHeaders(res, translator)
    res.end(parts.join(escapeHtml(url)))
  }
}

/** A page, not a redirect, because our form-action policy does not include the tenant’s site. */
export function returnPages(lead = 'redirect.backLead') {
  const goBack = redirectPages(lead)
  return (res: Response, way: Way, translator: Translator): Promise<void> => {
    res.setHeader('Refresh', `0; url=${way.url}`)
    return goBack(res, way, translator)
  }
}

type Way = { url: string; tenant: Tenant | undefined }

type Look = { host: string; tenant: Tenant | undefined }

type Content = { host: string; lead: string; brand: object | undefined; placeholder: string }

function renderParts(app: Application, content: Content, translator: Translator): Promise<string[]> {
  const { host, lead, brand, placeholder } = content
  return new Promise((resolve, reject) => {
    const title = translator.t('redirect.title', { host })
    const locals = { title, host, lead: translator.t(lead), url: placeholder, ...brand, ...languageLocals(translator) }
    app.render('onboarding/redirect', locals, (error: Error | null, html: string) =>
      error ? reject(error) : resolve(html.split(placeholder)),
    )
  })
}
