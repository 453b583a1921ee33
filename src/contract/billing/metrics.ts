import { z } from 'zod'

export const Resolution = z.enum(['hourly', 'daily', 'weekly', 'monthly'])
export type Resolution = z.infer<typeof Resolution>

export const groupings = ['workspace', 'resource_type', 'resource_name', 'resource_uuid', 'billing_dimension'] as const
export type Grouping = (typeof groupings)[number]

export type Unit = 'gbs' | 'count' | 'hours'

export const billingDimensions = {
  sandbox_compute_runtime_gbs: { resourceType: 'sandbox', unit: 'gbs' },
  sandbox_image_storage_gbs: { resourceType: 'sandbox', unit: 'gbs' },
  sandbox_snapshot_storage_gbs: { resourceType: 'sandbox', unit: 'gbs' },
  agent_compute_runtime_gbs: { resourceType: 'agent', unit: 'gbs' },
  agent_image_storage_gbs: { resourceType: 'agent', unit: 'gbs' },
  agent_async_requests_count: { resourceType: 'agent', unit: 'count' },
  job_compute_runtime_gbs: { resourceType: 'job', unit: 'gbs' },
  job_image_storage_gbs: { resourceType: 'job', unit: 'gbs' },
  mcp_server_compute_runtime_gbs: { resourceType: 'mcp_server', unit: 'gbs' },
  mcp_server_image_storage_gbs: { resourceType: 'mcp_server', unit: 'gbs' },
  volume_storage_gbs: { resourceType: 'volume', unit: 'gbs' },
  custom_domain_active_time_hours: { resourceType: 'custom_domain', unit: 'hours' },
  // Extension: the interface document does not bill models.
  model_input_tokens_count: { resourceType: 'model', unit: 'count' },
  model_output_tokens_count: { resourceType: 'model', unit: 'count' },
} as const satisfies Record<string, { resourceType: string; unit: Unit }>

export type BillingDimension = keyof typeof billingDimensions

export type ResourceType = (typeof billingDimensions)[BillingDimension]['resourceType']

export const BillingDimension = z.enum(Object.keys(billingDimensions) as [BillingDimension, ...BillingDimension[]])

const utc = 'must be an RFC 3339 time in UTC, for example 2026-01-31T00:00:00Z'

/** With `Z` or a zero offset. Lower-case letters are valid (RFC 3339 §5.6). */
const UtcTime = z
  .string()
  .toUpperCase()
  .check(z.iso.datetime({ offset: true, error: utc }))
  .regex(/(Z|[+-]00:00)$/, utc)

const Text = z.string().min(1, 'must not be empty').max(512, 'must have at most 512 characters')

export const MetricsWindow = z.object({ startTime: UtcTime, endTime: UtcTime })

export const MetricsQuery = MetricsWindow.extend({
  resolution: Resolution.optional(),
  groupBy: z.string().max(512).optional(),
  workspace: Text.optional(),
  resourceType: Text.optional(),
  resourceName: Text.optional(),
  resourceUuid: Text.optional(),
  billingDimension: BillingDimension.optional(),
  limit: z
    .string()
    .refine((text) => /^0*[1-9][0-9]*$/.test(text), 'must be a whole number of at least 1')
    .meta({
      type: 'integer',
      minimum: 1,
      maximum: 100,
      default: 100,
      description: 'Values above 100 are treated as 100.',
    })
    .optional(),
  cursor: z.string().max(8_192).optional(),
})
export type MetricsQuery = z.infer<typeof MetricsQuery>

/** `usage` is set only when grouping by `billing_dimension`, because other groups mix units. */
const Sum = z.object({ cost: z.number(), usage: z.number().optional() })

export const AccountMetricsDataEntry = z.object({
  workspace: z.string(),
  resourceType: z.string(),
  resourceName: z.string(),
  resourceUuid: z.string(),
  billingDimension: z.string(),
  summary: Sum,
  timeseries: z.array(Sum.extend({ timestamp: z.iso.datetime() })),
})
export type AccountMetricsDataEntry = z.infer<typeof AccountMetricsDataEntry>

export const AccountMetricsResponse = z.object({
  startTime: z.string(),
  endTime: z.string(),
  resolution: Resolution,
  summary: z.object({ totalCost: z.number(), totalUsage: z.number().optional() }),
  data: z.array(AccountMetricsDataEntry),
  meta: z.object({ hasMore: z.boolean(), nextCursor: z.string() }),
})
export type AccountMetricsResponse = z.infer<typeof AccountMetricsResponse>

export const EnumValues = z.object({ values: z.array(z.string()) })
