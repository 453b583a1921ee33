import type { RequestHandler } from 'express'
import { kitMetrics } from '../process/metric-table.ts'
import type { Metrics } from '../process/metrics.ts'
import { routeTemplateOf } from './route-template.ts'

export type RequestDurations = ReturnType<typeof requestDurations>

export const requestDurations = (metrics: Metrics) => metrics.histogram(kitMetrics.httpSeconds)

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

/** Clients may send any method, and each label value is a series. */
export const knownMethod = (method = ''): string => (methods.has(method) ? method : 'other')

/** For statuses that another server chooses. */
export const statusClass = (status: number): string =>
  status >= 100 && status < 600 ? `${Math.floor(status / 100)}xx` : 'other'
