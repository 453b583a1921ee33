import type { RequestHandler } from 'express'
import helmet from 'helmet'

/**
 * The strictest policy our pages work under: nothing inline, nothing from elsewhere, never framed, never cached.
 * `form-action 'self'` also covers where a form's answer redirects to, so no form of ours may redirect abroad.
 */
export function securityHeaders({ https }: { https: boolean }): RequestHandler[] {
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
  const noStore: RequestHandler = (_req, res, next) => {
    res.set('Cache-Control', 'no-store')
    next()
  }
  return [policy, noStore]
}
