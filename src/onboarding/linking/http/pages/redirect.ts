import type { Application, Response } from 'express'
import { escapeHtml } from '../../../../kit/http/pages.ts'
import type { Translator } from '../../../../kit/messages/translator.ts'
import { languageHeaders, languageLocals } from '../../../http/languages.ts'

/** Replaced by the URL; no provider's URL contains it. */
const placeholder = 'about:the-address-of-this-visitor'

/**
 * The page that sends a browser on to the provider, or back to the tenant. Every link passes here and only the URL
 * differs, so it is rendered once per host and language and completed for each visitor. `lead`: the message that says
 * what for.
 */
export function redirectPages(lead: string) {
  const known = new Map<string, Promise<string[]>>()

  const partsFor = (app: Application, host: string, translator: Translator): Promise<string[]> => {
    const key = `${translator.lang} ${host}`
    const parts = known.get(key) ?? renderParts(app, { host, lead }, translator)
    known.set(key, parts)
    return parts
  }

  return async (res: Response, url: string, translator: Translator): Promise<void> => {
    const parts = await partsFor(res.app, new URL(url).host, translator)
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    languageHeaders(res, translator)
    res.end(parts.join(escapeHtml(url)))
  }
}

type Words = { host: string; lead: string }

const renderParts = (app: Application, { host, lead }: Words, translator: Translator): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const title = translator.t('redirect.title', { host })
    const locals = { title, lead: translator.t(lead), url: placeholder, ...languageLocals(translator) }
    app.render('onboarding/redirect', locals, (error: Error | null, html: string) =>
      error ? reject(error) : resolve(html.split(placeholder)),
    )
  })
