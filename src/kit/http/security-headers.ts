import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * The strictest policy our pages work under: nothing inline, nothing from elsewhere, never framed, never cached.
 * `form-action 'self'` also covers where a form's answer redirects to, so no form of ours may redirect abroad.
 */
export function securityHeaders(options: { https: boolean }): RequestHandler {
  const headers = securityHeaderValues(options)
  return (_req, res, next) => {
    res.setHeaders(headers)
    next()
  }
}

/**
 * For a page whose script brings styles of its own, which no nonce can cover: attributes have none. What a style could
 * load is still ours alone, and scripts stay as strict as everywhere.
 */
export const allowInlineStyles: RequestHandler = (_req, res, next) => {
  const policy = String(res.getHeader('Content-Security-Policy'))
  res.setHeader('Content-Security-Policy', policy.replace("style-src 'self'", "style-src 'self' 'unsafe-inline'"))
  next()
}

/** The policy is the same for every answer, so it is asked once, and not built anew for each. */
export function securityHeaderValues({ https }: { https: boolean }): Map<string, string> {
  const policy = helmet({
    contentSecurityPolicy: {
      useDefaults: false,
      directives: {
        defaultSrc: ["'none'"],
        scriptSrc: ["'self'"],
        styleSrc: ["'self'"],
        imgSrc: ["'self'", 'data:'],
        connectSrc: ["'self'"],
        formAction: ["'self'"],
        frameAncestors: ["'none'"],
        baseUri: ["'none'"],
      },
    },
    frameguard: { action: 'deny' },
    referrerPolicy: { policy: 'no-referrer' },
    strictTransportSecurity: https && { maxAge: 31_536_000 },
  })
  return headersSetBy(policy).set('Cache-Control', 'no-store')
}

function headersSetBy(policy: ReturnType<typeof helmet>): Map<string, string> {
  const headers = new Map<string, string>()
  const nothing = () => undefined
  const recorder = { setHeader: (name: string, value: string) => headers.set(name, value), removeHeader: nothing }
  policy({} as IncomingMessage, recorder as unknown as ServerResponse, nothing)
  return headers
}
