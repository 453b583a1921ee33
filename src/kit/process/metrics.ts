import cluster from 'node:cluster'
import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric, Registry } from 'prom-client'
import { readVersion } from '../installed/version.ts'
import { within } from './background-work.ts'
import { answerLeader, countDeaths } from './fork-metrics.ts'

export type Metrics = ReturnType<typeof createMetrics>

/** One value of a gauge, by its labels. */
export type Reading<L extends string = string> = { labels?: Partial<Record<L, string>>; value: number }

export type GaugeOptions<L extends string> = {
  labels?: readonly L[]
  /** Asked when somebody looks; nothing is shown while the answer cannot be had. */
  read(): Reading<L>[] | Promise<Reading<L>[]>
  /** What the values of several processes are together. */
  together?: 'sum' | 'max' | 'min'
}

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** Who asks for figures must not hang with a store. */
const patienceMs = 2_000

const ofNode = new Map<string, Registry>()

/**
 * Once for each process: a timer that looks at the event loop a hundred times a second and an observer of the collector are
 * never taken back, and hold their registry. Programs that are opened and closed in one process would add up.
 */
function metricsOfNode(prefix: string) {
  const registry = ofNode.get(prefix) ?? new Registry()
  if (!ofNode.has(prefix)) collectDefaultMetrics({ register: registry, prefix: `${prefix}_` })
  ofNode.set(prefix, registry)
  return registry.getMetricsAsArray()
}

/** Labels are names from closed lists: an id or a URL would grow a registry without end. */
export function createMetrics(prefix: string) {
  const ofProcess = new Registry()
  // What the stores say is the same for every process that asks, so one of them is enough.
  const ofStores = new Registry()
  if (cluster.isWorker) answerLeader({ ofProcess, ofStores })
  for (const metric of metricsOfNode(prefix)) ofProcess.registerMetric(metric as unknown as Metric)
  countDeaths(prefix, ofProcess)
  const described = (name: string, help: string, registry = ofProcess) => ({
    name: `${prefix}_${name}`,
    help,
    registers: [registry],
  })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ ...described(name, help), labelNames })
  const gauge =
    (registry: Registry) =>
    <L extends string>(name: string, help: string, { labels = [], read, together = 'sum' }: GaugeOptions<L>) =>
      void new Gauge({
        ...described(name, help, registry),
        labelNames: [...labels],
        aggregator: together,
        async collect() {
          const readings = await within(Promise.resolve().then(read), patienceMs).catch(() => undefined)
          this.reset()
          if (labels.length === 0) this.remove()
          for (const { labels: at = {}, value } of readings ?? []) this.set(at as never, value)
        },
      })
  const metrics = {
    counter,
    loopFailures: counter('loop_failures_total', 'Turns of background loops that failed.', ['loop']),
    /** When each background loop last ended a turn without a failure. */
    loopTurns: new Gauge({
      ...described('loop_last_turn_timestamp_seconds', 'When a background loop last ended a turn without a failure.'),
      labelNames: ['loop'],
      aggregator: 'max',
    }),
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[], buckets = secondsBuckets) =>
      new Histogram({ ...described(name, help), labelNames, buckets }),
    gauge: gauge(ofProcess),
    storeGauge: gauge(ofStores),
    /** Everything here, for documents that have to agree with it. */
    describe: () =>
      [ofProcess, ofStores]
        .flatMap((registry) => registry.getMetricsAsArray())
        .map(({ name, help }) => ({ name, help })),
    text: async () => Registry.merge([ofProcess, ofStores]).metrics(),
    contentType: ofProcess.contentType,
  }
  metrics.gauge('build_info', 'Which release runs, on which Node.', {
    labels: ['version', 'node'],
    read: () => [{ labels: { version: readVersion(), node: process.versions.node }, value: 1 }],
    together: 'max',
  })
  return metrics
}

/** A label whose values are not in our hands: so many of them have a series each, and the others share one. */
export function boundedLabel(most: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (!known.has(value) && known.size >= most) return 'other'
    known.add(value)
    return value
  }
}

/** The same answer for a while, for gauges that share a question or would ask too often. */
export function askedSeldom<T>(ask: () => Promise<T>, everyMs: number, now = Date.now): () => Promise<T> {
  let last: { answer: Promise<T>; at: number } | undefined
  return () => {
    if (last && now() - last.at < everyMs) return last.answer
    const answer = ask()
    last = { answer, at: now() }
    // A failure is not remembered: the next one who asks tries again.
    answer.catch(() => {
      if (last?.answer === answer) last = undefined
    })
    return answer
  }
}
