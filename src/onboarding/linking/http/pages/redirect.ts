import type { Application, Response } from 'express'
import { escapeHtml } from '../../../../kit/http/pages.ts'

/** Replaced by the URL; no provider's URL contains it. */
const placeholder = 'about:the-address-of-this-visitor'

/**
 * The page that sends a browser on to the provider. Every link passes here and only the URL differs, so it is rendered
 * once per provider and completed for each visitor.
 */
export function redirectPages() {
  const known = new Map<string, Promise<string[]>>()

  const partsFor = (app: Application, host: string): Promise<string[]> => {
    const parts = known.get(host) ?? renderParts(app, host)
    known.set(host, parts)
    return parts
  }

  return async (res: Response, url: string): Promise<void> => {
    const parts = await partsFor(res.app, new URL(url).host)
    res.setHeader('Content-Type', 'text/html; charset=utf-8')
    res.end(parts.join(escapeHtml(url)))
  }
}

const renderParts = (app: Application, host: string): Promise<string[]> =>
  new Promise((resolve, reject) => {
    const locals = { title: 'Continue to the app', url: placeholder, host }
    app.render('onboarding/redirect', locals, (error: Error | null, html: string) =>
      error ? reject(error) : resolve(html.split(placeholder)),
    )
  })
