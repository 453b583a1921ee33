// Metrics that every program has, each under its own prefix. docs/reference/metrics.md is generated from the tables.

/** `help` is also the description in the docs. Labels are from closed lists: IDs or URLs would grow without bound. */
export type Metric<L extends string = string> = {
  name: string
  type: 'counter' | 'histogram' | 'gauge'
  labels: readonly L[]
  help: string
  /** Every process reads the same value from a shared store. */
  fromStore?: true
}

export type MetricTable = Readonly<Record<string, Metric>>

export const kitMetrics = {
  buildInfo: {
    name: 'build_info',
    type: 'gauge',
    labels: ['version', 'node'],
    help: 'Release and Node version in use. Always 1.',
  },
  httpSeconds: {
    name: 'http_seconds',
    type: 'histogram',
    labels: ['method', 'route', 'status'],
    help: 'Time to answer a request, by the template of the route.',
  },
  loopFailures: {
    name: 'loop_failures_total',
    type: 'counter',
    labels: ['loop'],
    help: 'Failed turns of background loops. The log event `loop.failed` says why.',
  },
  loopTurns: {
    name: 'loop_last_turn_timestamp_seconds',
    type: 'gauge',
    labels: ['loop'],
    help: 'Time of the last successful turn of a background loop.',
  },
  databaseConnections: {
    name: 'database_connections',
    type: 'gauge',
    labels: ['state'],
    help: 'Connections to PostgreSQL that are `open` and `idle`, and statements that wait for one (`awaited`).',
  },
  databaseConnectionsLimit: {
    name: 'database_connections_limit',
    type: 'gauge',
    labels: [],
    help: 'Maximum number of connections to PostgreSQL.',
  },
  databaseConnectionsGivenUp: {
    name: 'database_connections_given_up_total',
    type: 'counter',
    labels: [],
    help: 'Connections to PostgreSQL that were closed because a statement had no response for 6 s. Its server is asked to cancel it.',
  },
  dependencyUp: {
    name: 'dependency_up',
    type: 'gauge',
    labels: ['dependency', 'state'],
    help: '1 if `database` and `redis` accept writes and, for onboarding, `platform` accepts our key; else 0. `state` is `ready`, `read-only`, `full`, `replaced`, `misconfigured` or `not answering`.',
  },
  dependencyProbeSeconds: {
    name: 'dependency_probe_seconds',
    type: 'gauge',
    labels: ['dependency'],
    help: 'Duration of the latest probe of a dependency.',
  },
  queueOverdueSeconds: {
    name: 'queue_overdue_seconds',
    type: 'gauge',
    labels: ['queue'],
    help: 'Time since the oldest row of a queue became due; 0 if no row is due. Excludes messages to test-mode tenants.',
    fromStore: true,
  },
} as const satisfies MetricTable
