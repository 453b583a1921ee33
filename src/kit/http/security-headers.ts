import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import helmet from 'helmet'

/** `includeSubDomains`: for a host that has no other sites below it. */
type Options = { https: boolean; includeSubDomains?: boolean }

/** `form-action 'self'` also covers redirects after a form post. */
export function securityHeaders(options: Options): RequestHandler {
  const headers = securityHeaderValues(options)
  return (_req, res, next) => {
    res.setHeaders(headers)
    next()
  }
}

/** Computed once: the headers are the same for every response. */
export function securityHeaderValues({ https, includeSubDomains = false }: Options): Map<string, string> {
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
    strictTransportSecurity: https && { maxAge: 31_536_000, includeSubDomains },
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
