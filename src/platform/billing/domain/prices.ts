import { z } from 'zod'
import { BillingDimension } from '../../../contract/billing/metrics.ts'

/** A string, because prices must not lose precision as floating-point numbers. */
const UsdPerUnit = z.string().regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a decimal string, for example "0.0000115"')

const Price = z.strictObject({
  dimension: BillingDimension,
  usdPerUnit: UsdPerUnit,
  effectiveFrom: z.iso.date('must be a date, for example 2026-01-31'),
})
export type Price = z.infer<typeof Price>

const isUnambiguous = (prices: readonly Price[]) =>
  new Set(prices.map(({ dimension, effectiveFrom }) => `${dimension} ${effectiveFrom}`)).size === prices.length

export const PricesFile = z.strictObject({
  prices: z.array(Price).refine(isUnambiguous, 'two prices of one dimension start on the same day'),
})

const price = (dimension: BillingDimension, usdPerUnit: string): Price => ({
  dimension,
  usdPerUnit,
  effectiveFrom: '1970-01-01',
})

export const examplePrices: readonly Price[] = [
  price('sandbox_compute_runtime_gbs', '0.0000115'),
  price('agent_compute_runtime_gbs', '0.0000115'),
  price('job_compute_runtime_gbs', '0.0000115'),
  price('mcp_server_compute_runtime_gbs', '0.0000115'),
  price('agent_async_requests_count', '0.0000004'),
  price('sandbox_image_storage_gbs', '0.00000004'),
  price('sandbox_snapshot_storage_gbs', '0.00000008'),
  price('agent_image_storage_gbs', '0.00000004'),
  price('job_image_storage_gbs', '0.00000004'),
  price('mcp_server_image_storage_gbs', '0.00000004'),
  price('volume_storage_gbs', '0.00000008'),
  price('custom_domain_active_time_hours', '0.0014'),
]
