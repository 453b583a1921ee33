import type { Resolution } from '../../../../contract/billing/metrics.ts'
import { type EntryField, entryFieldNames, entryFields } from '../../domain/grouping.ts'
import type { Group, Question } from '../../domain/ports.ts'

const types: Record<string, string> = {
  sandbox: 'Sandbox',
  agent: 'Agent',
  job: 'Job',
  mcp_server: 'MCP server',
  model: 'Model',
  volume: 'Volume',
  custom_domain: 'Custom domain',
}

const dimensions: Record<string, string> = {
  sandbox_compute_runtime_gbs: 'Sandbox compute',
  sandbox_image_storage_gbs: 'Sandbox images',
  sandbox_snapshot_storage_gbs: 'Sandbox snapshots',
  agent_compute_runtime_gbs: 'Agent compute',
  agent_image_storage_gbs: 'Agent images',
  agent_async_requests_count: 'Agent async requests',
  job_compute_runtime_gbs: 'Job compute',
  job_image_storage_gbs: 'Job images',
  mcp_server_compute_runtime_gbs: 'MCP server compute',
  mcp_server_image_storage_gbs: 'MCP server images',
  model_input_tokens_count: 'Model input tokens',
  model_output_tokens_count: 'Model output tokens',
  volume_storage_gbs: 'Volume storage',
  custom_domain_active_time_hours: 'Custom domains',
}

export const typeWord = (type: string): string => types[type] ?? type

export const typeOptions = [
  { value: '', label: 'All' },
  ...Object.entries(types).map(([value, label]) => ({ value, label })),
]

const known: Partial<Record<EntryField, Record<string, string>>> = {
  resourceType: types,
  billingDimension: dimensions,
}

export function groupLabel({ fields }: Group, { groupBy }: Question): string {
  const named = entryFieldNames.filter((field) => groupBy.includes(entryFields[field].own))
  const parts = named.map((field) => known[field]?.[fields[field] ?? ''] ?? (fields[field] || '(none)'))
  return parts.length > 0 ? parts.join(' · ') : 'Everything'
}

const format = (options: Intl.DateTimeFormatOptions) => {
  const formatter = new Intl.DateTimeFormat('en-GB', { timeZone: 'UTC', ...options })
  return (at: Date) => formatter.format(at)
}

export const shortDay = format({ day: 'numeric', month: 'short' })
export const longDay = format({ day: 'numeric', month: 'short', year: 'numeric' })
export const hour = format({ hour: '2-digit', minute: '2-digit' })

const bucketNames: Record<Resolution, (at: Date) => string> = {
  hourly: (at) => `${shortDay(at)}, ${hour(at)}`,
  daily: longDay,
  weekly: (at) => `Week of ${longDay(at)}`,
  monthly: format({ month: 'short', year: 'numeric' }),
}

export const bucketName = (at: Date, resolution: Resolution): string => bucketNames[resolution](at)

export const groupingOptions = [
  { value: 'billing_dimension', label: 'Dimension' },
  { value: 'workspace', label: 'Workspace' },
  { value: 'resource_name', label: 'Resource' },
  { value: 'resource_type', label: 'Type' },
  { value: 'workspace,billing_dimension', label: 'Workspace and dimension' },
  { value: 'resource_name,billing_dimension', label: 'Resource and dimension' },
  { value: 'none', label: 'None' },
]

export const resolutionOptions = [
  { value: '', label: 'Automatic' },
  { value: 'hourly', label: 'Hourly' },
  { value: 'daily', label: 'Daily' },
  { value: 'weekly', label: 'Weekly' },
  { value: 'monthly', label: 'Monthly' },
]
