import type { Application, Response } from 'express'
import { escapeHtml } from '../../../../kit/http/pages.ts'

/** Stands where the address goes while the page is made; no address of a provider holds it. */
const placeholder = 'about:the-address-of-this-visitor'

/**
 * The page on the way to the provider. Everybody who links the same app gets the same one but for the address, and
 * everybody passes here, so it is rendered once for each provider and completed for each visitor.
 */
export function leavingPages() {
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
    app.render('onboarding/leaving', locals, (error: Error | null, html: string) =>
      error ? reject(error) : resolve(html.split(placeholder)),
    )
  })
