import type { RequestHandler } from 'express'
import type { Metrics } from '../process/metrics.ts'
import { routeTemplateOf } from './route-template.ts'

/** How long answers take, by route template and status. */
export function requestMetrics(metrics: Metrics): RequestHandler {
  const labels = ['method', 'route', 'status'] as const
  const durations = metrics.histogram('http_seconds', 'Time to answer a request.', labels)
  return (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const route = routeTemplateOf(req)
      durations.observe({ method: req.method, route, status: res.statusCode }, (performance.now() - startedAt) / 1_000)
    })
    next()
  }
}
