import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Request } from 'express'
import { noTracing, type SpanAttributes, type Tracing } from '../tracing/tracing.ts'
import { routeTemplateOf } from './route-template.ts'

/** Whether to trust the `traceparent` of a request. */
export type JoinsTrace = (req: IncomingMessage) => Promise<boolean>

/** Joins the sender's trace only if `joins` trusts the sender: `traceparent` also decides on recording. */
export function tracedListener(
  app: RequestListener,
  tracing: Tracing,
  { joins }: { joins?: JoinsTrace | undefined },
): RequestListener {
  if (tracing === noTracing) return app
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
  return (req, res) => {
    const { traceparent } = req.headers
    if (!joins || typeof traceparent !== 'string') return serve(req, res, undefined)
    const known = joins(req).catch(() => false)
    void known.then((isKnown) => serve(req, res, isKnown ? traceparent : undefined))
  }
}

const answered = (req: Request, res: ServerResponse): SpanAttributes => ({
  'http.route': routeTemplateOf(req),
  'http.response.status_code': res.statusCode,
  'request.id': String(res.getHeader('x-request-id') ?? ''),
})
