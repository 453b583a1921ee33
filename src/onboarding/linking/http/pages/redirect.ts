import { randomUUID } from 'node:crypto'
import type { Application, Response } from 'express'
import { escapeHtml } from '../../../../kit/http/pages.ts'
import type { Translator } from '../../../../kit/messages/translator.ts'
import type { Tenant } from '../../../domain/tenant.ts'
import { languageHeaders, languageLocals } from '../../../http/languages.ts'
import { brandLocals } from '../locals/brand.ts'

/** Users of some apps type their own subdomain, and tenants choose their looks: without a limit they fill the memory. */
export const mostPages = 2_000

/**
 * The page that sends a browser on to the provider, or back to the tenant. Every link passes here and only the URL
 * differs, so it is rendered once per host, language and look, and completed for each visitor. `lead`: the message that
 * says what for.
 */
export function redirectPages(lead: string) {
  const known = new Map<string, Promise<string[]>>()
  // Chance, because tenants write on these pages: one that knew it could have the URL, with its state, put into a link.
  const placeholder = `about:${randomUUID()}`

  const partsFor = (app: Application, { host, tenant }: Look, translator: Translator): Promise<string[]> => {
    const brand = tenant && brandLocals(tenant, translator)
    const key = JSON.stringify([translator.lang, host, brand])
    const parts = known.get(key) ?? renderParts(app, { host, lead, brand, placeholder }, translator)
    if (!known.has(key) && known.size >= mostPages) known.delete(known.keys().next().value as string)
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

/** Back to the tenant after a form: a page and not a redirect, because the tenant's site is not in our form-action. */
export function returnPages() {
  const goBack = redirectPages('redirect.backLead')
  return (res: Response, way: Way, translator: Translator): Promise<void> => {
    res.setHeader('Refresh', `0; url=${way.url}`)
    return goBack(res, way, translator)
  }
}

type Way = { url: string; tenant: Tenant | undefined }

type Look = { host: string; tenant: Tenant | undefined }

/** `placeholder`: replaced by the URL of each visitor. */
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
