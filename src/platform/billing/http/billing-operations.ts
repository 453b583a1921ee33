import type { Request } from 'express'
import {
  AccountMetricsResponse,
  EnumValues,
  groupings,
  MetricsQuery,
  MetricsWindow,
} from '../../../contract/billing/metrics.ts'
import { Failure } from '../../shared/domain/failure.ts'
import type { Operation } from '../../shared/http/operation.ts'
import type { BillingPorts } from '../domain/ports.ts'
import { listResourceTypes, readMetrics } from '../flows/read-metrics.ts'

const metricsPath = '/accounts/{accountId}/metrics'
const accountIn = (req: Request) => String(req.params.accountId)

const scope = 'accounts:get'

export const billingOperations = (ports: BillingPorts): Operation[] => [
  {
    method: 'get',
    path: metricsPath,
    scope,
    summary: 'Read cost and usage of an account over time',
    query: MetricsQuery,
    answers: { 200: AccountMetricsResponse },
    handleCaller: async ({ caller, req }) => {
      assertSupported(req)
      return readMetrics(ports, caller, accountIn(req), MetricsQuery.parse(req.query))
    },
  },
  {
    method: 'get',
    path: `${metricsPath}/enums/group-by`,
    scope,
    summary: 'List the dimensions that metrics can be grouped by',
    answers: { 200: EnumValues },
    handleCaller: async ({ caller, req }) => {
      await ports.findAccount(caller, accountIn(req))
      return { values: [...groupings] }
    },
  },
  {
    method: 'get',
    path: `${metricsPath}/enums/resource-types`,
    scope,
    summary: 'List the resource types that have metrics in a window',
    query: MetricsWindow,
    answers: { 200: EnumValues },
    handleCaller: async ({ caller, req }) => ({
      values: await listResourceTypes(ports, caller, accountIn(req), MetricsWindow.parse(req.query)),
    }),
  },
]

/** Unknown parameters are ignored, but these two would seem to work. */
export function assertSupported({ query }: Request): void {
  const named = ['label', 'unit'].find((name) => Object.hasOwn(query, name))
  if (named) throw new Failure('input_invalid', `${named}: is not supported`)
}
