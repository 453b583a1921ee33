// Metrics of this program, without the prefix `platform_`. docs/reference/metrics.md is generated from them.
import type { MetricTable } from '../../../kit/process/metric-table.ts'

export const platformMetrics = {
  toolCalls: {
    name: 'tool_calls_total',
    type: 'counter',
    labels: ['integration', 'outcome'],
    help: 'Tool calls of functions; `outcome` is `done`, `failed`, `crashed` or the code of the tool error.',
  },
  toolCallSeconds: {
    name: 'tool_call_seconds',
    type: 'histogram',
    labels: [],
    help: 'Duration of tool calls of functions.',
  },
  toolCallExportLagSeconds: {
    name: 'tool_call_export_lag_seconds',
    type: 'gauge',
    labels: ['destination'],
    help: 'Age of the oldest recorded tool call that a destination does not have.',
    fromStore: true,
  },
  thirdPartySeconds: {
    name: 'third_party_seconds',
    type: 'histogram',
    labels: ['call', 'outcome'],
    help: 'Duration of requests to third parties, `refresh` or `api`.',
  },
  grantRefreshes: {
    name: 'grant_refreshes_total',
    type: 'counter',
    labels: ['integration', 'outcome'],
    help: 'Refreshes by the gateway: `done`, `grant_revoked`, `client_rejected`, `refresh_refused`, `profile_mismatch`, `unavailable`.',
  },
  usageUnspooled: {
    name: 'usage_unspooled_total',
    type: 'counter',
    labels: [],
    help: 'Failed writes of usage to `DATA_FOLDER`. Until it is stored, this usage is lost if the process dies.',
  },
  tasks: {
    name: 'tasks',
    type: 'gauge',
    labels: ['state'],
    help: 'Tasks of executions that are `pending` or `running`.',
    fromStore: true,
  },
} as const satisfies MetricTable
