import type { RequestHandler } from 'express'
import type { Metrics } from '../process/metrics.ts'
import { routeTemplateOf } from './route-template.ts'

export type RequestDurations = ReturnType<typeof requestDurations>

/** How long answers take, by route template and status. */
export const requestDurations = (metrics: Metrics) =>
  metrics.histogram('http_seconds', 'Time to answer a request.', ['method', 'route', 'status'])

export const requestMetrics =
  (durations: RequestDurations): RequestHandler =>
  (req, res, next) => {
    const startedAt = performance.now()
    res.once('close', () => {
      const labels = { method: req.method, route: routeTemplateOf(req), status: res.statusCode }
      durations.observe(labels, (performance.now() - startedAt) / 1_000)
    })
    next()
  }
