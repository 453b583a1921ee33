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
import type { FindAccount } from '../domain/ports.ts'
import type { ListResourceTypes } from '../flows/list-resource-types.ts'
import type { ReadMetrics } from '../flows/read-metrics.ts'

export type BillingFlows = { findAccount: FindAccount; readMetrics: ReadMetrics; listResourceTypes: ListResourceTypes }

const metricsPath = '/accounts/{accountId}/metrics'
const accountIn = (req: Request) => String(req.params.accountId)

/** Who may read an account may read what it costs. */
const scope = 'accounts:get'

export const billingOperations = ({ findAccount, readMetrics, listResourceTypes }: BillingFlows): Operation[] => [
  {
    method: 'get',
    path: metricsPath,
    scope,
    summary: 'Read cost and usage of an account over time',
    query: MetricsQuery,
    answers: { 200: AccountMetricsResponse },
    handleCaller: async ({ caller, req }) => {
      assertSupported(req)
      return readMetrics(caller, accountIn(req), MetricsQuery.parse(req.query))
    },
  },
  {
    method: 'get',
    path: `${metricsPath}/enums/group-by`,
    scope,
    summary: 'List what metrics can be grouped by',
    answers: { 200: EnumValues },
    handleCaller: async ({ caller, req }) => {
      await findAccount(caller, accountIn(req))
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
      values: await listResourceTypes(caller, accountIn(req), MetricsWindow.parse(req.query)),
    }),
  },
]

/** Other parameters are ignored like everywhere; these two look as if they worked. */
export function assertSupported({ query }: Request): void {
  const named = ['label', 'unit'].find((name) => Object.hasOwn(query, name))
  if (named) throw new Failure('input_invalid', `${named}: is not supported`)
}
