import type { Queryable } from '../../../kit/database/sql.ts'
import { askedSeldom, type Metrics } from '../../../kit/process/metrics.ts'
import { connectionStatuses } from '../../domain/connection.ts'
import { isEnded, type LinkState, linkStates } from '../../domain/link.ts'
import {
  connectionsByStatus,
  endingConnections,
  openLinks,
  type QueueFigures,
  queueFigures,
  unjudgedConnections,
} from '../postgres/ledger-figures.ts'

/** Often enough for an alert, and seldom enough that nobody who scrapes can keep the ledger busy. */
const queuesEveryMs = 10_000
const connectionsEveryMs = 60_000

const openStates = linkStates.filter((state) => !isEnded(state))

/** Gauges of the ledger. Every process that is asked says the same, so queries take their maximum. */
export function ledgerMetrics(metrics: Metrics, db: Queryable): void {
  linkGauges(metrics, db)
  queueGauges(metrics, db)
  connectionGauges(metrics, db)
}

function linkGauges(metrics: Metrics, db: Queryable): void {
  const ask = askedSeldom(() => openLinks(db), queuesEveryMs)
  type Figure = 'count' | 'oldestSeconds'
  const byState = (figure: Figure) => async () => {
    const found = new Map<LinkState, Record<Figure, number>>((await ask()).map((each) => [each.state, each]))
    return openStates.map((state) => ({ labels: { state }, value: found.get(state)?.[figure] ?? 0 }))
  }
  const labels = ['state'] as const
  metrics.storeGauge('links', 'Links that have not ended, by state.', { labels, read: byState('count') })
  metrics.storeGauge(
    'links_oldest_seconds',
    'Age of the oldest link in a state; since it stopped, if it needs attention.',
    {
      labels,
      read: byState('oldestSeconds'),
    },
  )
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
  const overdueHelp = 'For how long the oldest row of a queue has been due.'
  metrics.storeGauge('queue_overdue_seconds', overdueHelp, { labels: ['queue'], read: overdue })
  const deliveriesHelp = 'Webhook messages that wait or were given up; of the latter a thousand are counted at most.'
  metrics.storeGauge('deliveries', deliveriesHelp, { labels: ['status'], read: deliveries })
  const disabledHelp = 'Webhook endpoints that are disabled.'
  metrics.storeGauge('webhooks_disabled', disabledHelp, { read: figure('disabledWebhooks') })
  metrics.storeGauge('escrow_grants', 'Grants in escrow.', { read: figure('escrowed') })
  metrics.storeGauge('escrow_oldest_seconds', 'Age of the oldest grant in escrow.', { read: figure('oldestEscrow') })
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
  metrics.storeGauge('connections', 'Connections by status.', {
    labels: ['status'],
    async read() {
      const { counts } = await ask()
      const of = (status: string) => counts.find((each) => each.status === status)?.count ?? 0
      return connectionStatuses.map((status) => ({ labels: { status }, value: of(status) }))
    },
  })
  metrics.storeGauge('connections_health_unknown', 'Connections that checks can no longer judge.', {
    read: async () => [{ value: (await ask()).unjudged.count }],
  })
  metrics.storeGauge('connections_grant_ending', 'Connections whose grant ends soon at a fixed age.', {
    read: async () => [{ value: (await ask()).ending.count }],
  })
}
