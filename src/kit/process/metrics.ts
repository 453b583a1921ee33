import { Counter, collectDefaultMetrics, Gauge, Histogram, type Metric as PromMetric, Registry } from 'prom-client'
import { readVersion } from '../installed/installed-root.ts'
import { within } from './background-work.ts'
import { kitMetrics, type Metric } from './metric-table.ts'

export type Metrics = ReturnType<typeof createMetrics>

export type Reading<L extends string = string> = { labels?: Partial<Record<L, string>>; value: number }

type GaugeOptions<L extends string> = {
  /** Called for each scrape; if it fails, the gauge is left out. */
  read(): Reading<L>[] | Promise<Reading<L>[]>
}

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A hung store must not hang the scrape. */
const readTimeoutMs = 2_000

const ofNode = new Map<string, Registry>()

/** Once per process: the library never stops its timer and its observer, which keep their registry alive. */
function metricsOfNode(prefix: string) {
  const registry = ofNode.get(prefix) ?? new Registry()
  if (!ofNode.has(prefix)) collectDefaultMetrics({ register: registry, prefix: `${prefix}_` })
  ofNode.set(prefix, registry)
  return registry.getMetricsAsArray()
}

/** Use labels with a closed list of values: IDs or URLs would grow the registry without limit. */
export function createMetrics(prefix: string) {
  const registry = new Registry()
  for (const metric of metricsOfNode(prefix)) registry.registerMetric(metric as unknown as PromMetric)
  const described = <L extends string>({ name, help, labels }: Metric<L>) => ({
    name: `${prefix}_${name}`,
    help,
    labelNames: labels,
    registers: [registry],
  })
  const counter = <L extends string>(metric: Metric<L> & { type: 'counter' }) => new Counter(described(metric))
  const metrics = {
    counter,
    loopFailures: counter(kitMetrics.loopFailures),
    loopTurns: new Gauge(described(kitMetrics.loopTurns)),
    histogram: <L extends string>(metric: Metric<L> & { type: 'histogram' }, buckets = secondsBuckets) =>
      new Histogram({ ...described(metric), buckets }),
    gauge: <L extends string>(metric: Metric<L> & { type: 'gauge' }, { read }: GaugeOptions<L>) =>
      void new Gauge({
        ...described(metric),
        async collect() {
          const readings = await within(Promise.resolve().then(read), readTimeoutMs).catch(() => undefined)
          this.reset()
          if (metric.labels.length === 0) this.remove()
          for (const { labels: at = {}, value } of readings ?? []) this.set(at as never, value)
        },
      }),
    /** For tests that compare documents with the registry. */
    describe: () => registry.getMetricsAsArray().map(({ name, help }) => ({ name, help })),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
  metrics.gauge(kitMetrics.buildInfo, {
    read: () => [{ labels: { version: readVersion(), node: process.versions.node }, value: 1 }],
  })
  return metrics
}

/** For labels with open values: after `max` values, the others share one series. */
export function boundedLabel(max: number): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (!known.has(value) && known.size >= max) return 'other'
    known.add(value)
    return value
  }
}

/** Caches the result, for gauges that share a query or are scraped often. */
export function askedSeldom<T>(ask: () => Promise<T>, everyMs: number, now = Date.now): () => Promise<T> {
  let last: { answer: Promise<T>; at: number } | undefined
  return () => {
    if (last && now() - last.at < everyMs) return last.answer
    const answer = ask()
    last = { answer, at: now() }
    // Failures are not cached.
    answer.catch(() => {
      if (last?.answer === answer) last = undefined
    })
    return answer
  }
}
