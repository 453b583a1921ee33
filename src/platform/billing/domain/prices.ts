import { z } from 'zod'
import { BillingDimension } from '../../../contract/billing/metrics.ts'

/** Decimal digits, not a number: a price must not pass through floating point on its way to a bill. */
const UsdPerUnit = z.string().regex(/^\d{1,9}(\.\d{1,18})?$/, 'must be a decimal in quotes, "0.0000115" for example')

const Price = z.strictObject({
  dimension: BillingDimension,
  usdPerUnit: UsdPerUnit,
  /** From the beginning of this day in UTC on. */
  effectiveFrom: z.iso.date('must be a day, 2026-01-31 for example'),
})
export type Price = z.infer<typeof Price>

const isUnambiguous = (prices: readonly Price[]) =>
  new Set(prices.map(({ dimension, effectiveFrom }) => `${dimension} ${effectiveFrom}`)).size === prices.length

export const PricesFile = z.strictObject({
  prices: z.array(Price).refine(isUnambiguous, 'two prices of one dimension begin on the same day'),
})

const always = '1970-01-01'

const price = (dimension: BillingDimension, usdPerUnit: string): Price => ({
  dimension,
  usdPerUnit,
  effectiveFrom: always,
})

/** Used without a price file: plausible examples, not anybody's price list. */
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
