import type { Queryable } from '../../../kit/database/sql.ts'
import type { ExportState } from '../../../kit/export/export-positions.ts'
import { kitMetrics } from '../../../kit/process/metric-table.ts'
import { askedSeldom, type Metrics } from '../../../kit/process/metrics.ts'
import { connectionStatuses } from '../../domain/connection.ts'
import { isEnded, type LinkState, linkStates } from '../../domain/link.ts'
import { onboardingMetrics } from '../../domain/reports/metrics.ts'
import { unsealedSeconds } from '../postgres/audit-chain/exports.ts'
import {
  connectionsByStatus,
  endingConnections,
  openLinks,
  type QueueFigures,
  queueFigures,
  unjudgedConnections,
} from '../postgres/ledger-figures.ts'

/** Often enough for alerts. Scrapes in between do not query the ledger. */
const queuesEveryMs = 10_000
const connectionsEveryMs = 60_000

const openStates = linkStates.filter((state) => !isEnded(state))

type ReadExports = () => Promise<ExportState[]>

export function ledgerMetrics(metrics: Metrics, db: Queryable, readExports: ReadExports): void {
  linkGauges(metrics, db)
  queueGauges(metrics, db)
  connectionGauges(metrics, db)
  auditGauges(metrics, db, readExports)
}

function auditGauges(metrics: Metrics, db: Queryable, readExports: ReadExports): void {
  const unsealed = askedSeldom(() => unsealedSeconds(db), queuesEveryMs)
  metrics.gauge(onboardingMetrics.auditUnsealedSeconds, { read: async () => [{ value: await unsealed() }] })
  metrics.gauge(onboardingMetrics.auditExportLagSeconds, {
    read: async () =>
      (await readExports()).map(({ destination, lagSeconds }) => ({ labels: { destination }, value: lagSeconds })),
  })
}

function linkGauges(metrics: Metrics, db: Queryable): void {
  const ask = askedSeldom(() => openLinks(db), queuesEveryMs)
  type Figure = 'count' | 'oldestSeconds'
  const byState = (figure: Figure) => async () => {
    const found = new Map<LinkState, Record<Figure, number>>((await ask()).map((each) => [each.state, each]))
    return openStates.map((state) => ({ labels: { state }, value: found.get(state)?.[figure] ?? 0 }))
  }
  metrics.gauge(onboardingMetrics.links, { read: byState('count') })
  metrics.gauge(onboardingMetrics.linksOldestSeconds, { read: byState('oldestSeconds') })
}

function queueGauges(metrics: Metrics, db: Queryable): void {
  const ask = askedSeldom(() => queueFigures(db), queuesEveryMs)
  const figure = (name: keyof QueueFigures) => async () => [{ value: (await ask())[name] ?? 0 }]
  const overdue = async () => {
    const { overdueLink, overdueTask, overdueCheck, overdueDelivery } = await ask()
    const queues = { links: overdueLink, tasks: overdueTask, checks: overdueCheck, deliveries: overdueDelivery }
    return Object.entries(queues).map(([queue, seconds]) => ({ labels: { queue }, value: seconds ?? 0 }))
  }
  const deliveries = async () => {
    const { pendingDeliveries, deadDeliveries } = await ask()
    return [
      { labels: { status: 'pending' }, value: pendingDeliveries },
      { labels: { status: 'dead' }, value: deadDeliveries },
    ]
  }
  metrics.gauge(kitMetrics.queueOverdueSeconds, { read: overdue })
  metrics.gauge(onboardingMetrics.deliveries, { read: deliveries })
  metrics.gauge(onboardingMetrics.webhooksDisabled, { read: figure('disabledWebhooks') })
  metrics.gauge(onboardingMetrics.escrowGrants, { read: figure('escrowed') })
  metrics.gauge(onboardingMetrics.escrowOldestSeconds, { read: figure('oldestEscrow') })
}

function connectionGauges(metrics: Metrics, db: Queryable): void {
  const ask = askedSeldom(
    async () => ({
      counts: await connectionsByStatus(db),
      unjudged: await unjudgedConnections(db),
      ending: await endingConnections(db),
    }),
    connectionsEveryMs,
  )
  metrics.gauge(onboardingMetrics.connections, {
    async read() {
      const { counts } = await ask()
      const of = (status: string) => counts.find((each) => each.status === status)?.count ?? 0
      return connectionStatuses.map((status) => ({ labels: { status }, value: of(status) }))
    },
  })
  metrics.gauge(onboardingMetrics.connectionsHealthUnknown, {
    read: async () => [{ value: (await ask()).unjudged.count }],
  })
  metrics.gauge(onboardingMetrics.connectionsGrantEnding, {
    read: async () => [{ value: (await ask()).ending.count }],
  })
}
