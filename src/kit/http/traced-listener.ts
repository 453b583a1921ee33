import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Request } from 'express'
import { noTracing, type SpanAttributes, type Tracing } from '../tracing/tracing.ts'
import { hasRequestPrototypes, type RequestPrototypes, withRequestClasses } from './express-prototypes.ts'
import { routeTemplateOf } from './route-template.ts'

/** Whether the sender of a request is somebody whose word about its trace counts. */
export type JoinsTrace = (req: IncomingMessage) => Promise<boolean>

/**
 * Each request in a span of its own. With `joins`, as a part of the trace that its sender names, if their word counts: a
 * sender also decides whether its trace is recorded, and knows the traces that others began.
 */
export function tracedListener<App extends RequestListener>(
  app: App,
  tracing: Tracing,
  { joins }: { joins?: JoinsTrace | undefined },
): RequestListener | App {
  if (tracing === noTracing) return app
  const listener = (req: IncomingMessage, res: ServerResponse) => {
    const { traceparent } = req.headers
    if (!joins || typeof traceparent !== 'string') return serve(req, res, undefined)
    const known = joins(req).catch(() => false)
    void known.then((isKnown) => serve(req, res, isKnown ? traceparent : undefined))
  }
  const serve = (req: IncomingMessage, res: ServerResponse, parent: string | undefined) => {
    const attributes = { 'http.request.method': req.method }
    void tracing.span('http.request', { attributes, parent, kind: 'server' }, async (span) => {
      if (!span.isRecording) return app(req, res)
      const closed = new Promise((resolve) => res.once('close', resolve))
      app(req, res)
      await closed
      span.set(answered(req as Request, res))
    })
  }
  return Object.assign(listener, requestPrototypes(app))
}

/** The server makes requests by the prototypes of the app, which the app has to know as its own. */
function requestPrototypes(app: RequestListener): Partial<RequestPrototypes> {
  if (!hasRequestPrototypes(app)) return {}
  const { request, response } = withRequestClasses(app)
  return { request, response }
}

const answered = (req: Request, res: ServerResponse): SpanAttributes => ({
  'http.route': routeTemplateOf(req),
  'http.response.status_code': res.statusCode,
  'request.id': String(res.getHeader('x-request-id') ?? ''),
})
