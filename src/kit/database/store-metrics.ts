import type { EventEmitter } from 'node:events'
import type pg from 'pg'
import { within } from '../process/background-work.ts'
import { kitMetrics } from '../process/metric-table.ts'
import { askedSeldom, type Metrics } from '../process/metrics.ts'

export function poolMetrics(metrics: Metrics, pool: pg.Pool): void {
  metrics.gauge(kitMetrics.databaseConnections, {
    read: () => [
      { labels: { state: 'open' }, value: pool.totalCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'awaited' }, value: pool.waitingCount },
    ],
  })
  metrics.gauge(kitMetrics.databaseConnectionsLimit, { read: () => [{ value: pool.options.max }] })
  const givenUp = metrics.counter(kitMetrics.databaseConnectionsGivenUp)
  const events: EventEmitter = pool
  events.on('given up', () => givenUp.inc())
}

type Probes = Readonly<Record<string, () => Promise<string>>>

const probeEveryMs = 5_000

/** Both gauges share one probe. */
export function probeMetrics(metrics: Metrics, probes: Probes): void {
  const ask = askedSeldom(() => Promise.all(Object.entries(probes).map(probed)), probeEveryMs)
  metrics.gauge(kitMetrics.dependencyUp, {
    read: async () =>
      (await ask()).map(({ dependency, state }) => ({
        labels: { dependency, state },
        value: state === 'ready' ? 1 : 0,
      })),
  })
  metrics.gauge(kitMetrics.dependencyProbeSeconds, {
    read: async () => (await ask()).map(({ dependency, seconds }) => ({ labels: { dependency }, value: seconds })),
  })
}

async function probed([dependency, ask]: [string, () => Promise<string>]) {
  const startedAt = performance.now()
  const answer = ask().catch(() => undefined)
  const state = (await within(answer, answerWithinMs)) ?? 'not answering'
  return { dependency, state, seconds: (performance.now() - startedAt) / 1_000 }
}

/** Below the timeout of a scrape: one hung dependency must not hide the others. */
const answerWithinMs = 1_500
