import type pg from 'pg'
import { within } from '../process/background-work.ts'
import { askedSeldom, type Metrics } from '../process/metrics.ts'

/** Connections of this process to PostgreSQL. Statements that wait for one are waited for by somebody. */
export function poolMetrics(metrics: Metrics, pool: pg.Pool): void {
  metrics.gauge('database_connections', 'Connections to PostgreSQL, and who waits for one.', {
    labels: ['state'],
    read: () => [
      { labels: { state: 'open' }, value: pool.totalCount },
      { labels: { state: 'idle' }, value: pool.idleCount },
      { labels: { state: 'awaited' }, value: pool.waitingCount },
    ],
  })
  metrics.gauge('database_connections_limit', 'How many connections to PostgreSQL there may be.', {
    read: () => [{ value: pool.options.max }],
  })
}

/** By name, whatever this process depends on, and whether it answers. */
export type Probes = Readonly<Record<string, () => Promise<boolean>>>

const probeEveryMs = 5_000

/** Both gauges from one question: whether each answers, and how long that takes. */
export function probeMetrics(metrics: Metrics, probes: Probes): void {
  const ask = askedSeldom(() => Promise.all(Object.entries(probes).map(probed)), probeEveryMs)
  metrics.gauge('dependency_up', 'Whether a server that this program depends on answers.', {
    labels: ['dependency'],
    read: async () => (await ask()).map(({ labels, isUp }) => ({ labels, value: isUp ? 1 : 0 })),
    together: 'min',
  })
  metrics.gauge('dependency_probe_seconds', 'How long it took to answer the smallest question.', {
    labels: ['dependency'],
    read: async () => (await ask()).map(({ labels, seconds }) => ({ labels, value: seconds })),
    together: 'max',
  })
}

async function probed([dependency, ask]: [string, () => Promise<boolean>]) {
  const startedAt = performance.now()
  const isUp = await answeredInTime(ask)
  return { labels: { dependency }, isUp, seconds: (performance.now() - startedAt) / 1_000 }
}

/** Below the time that whoever asks for figures waits for them: one that hangs must not hide the others. */
const answerWithinMs = 1_500

const answeredInTime = async (ask: () => Promise<boolean>): Promise<boolean> =>
  (await within(
    ask().catch(() => false),
    answerWithinMs,
  )) ?? false
