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
      const labels = { method: knownMethod(req.method), route: routeTemplateOf(req), status: res.statusCode }
      durations.observe(labels, (performance.now() - startedAt) / 1_000)
    })
    next()
  }

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Every label makes series of its own, and a stranger may send any method. */
export const knownMethod = (method = ''): string => (methods.has(method) ? method : 'other')

/** Where somebody else chooses the status: 2xx to 5xx. */
export const statusClass = (status: number): string =>
  status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other'
