import cluster from 'node:cluster'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Metrics = ReturnType<typeof createMetrics>

export type Figures = { text(): Promise<string>; contentType: string }

const secondsBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** One registry for one process. Labels are names from closed lists: an id or a URL would grow it without end. */
export function createMetrics(prefix: string) {
  const registry = new Registry()
  if (cluster.isWorker) answerLeader(registry)
  collectDefaultMetrics({ register: registry, prefix: `${prefix}_` })
  const described = (name: string, help: string) => ({ name: `${prefix}_${name}`, help, registers: [registry] })
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
    new Counter({ ...described(name, help), labelNames })
  return {
    counter,
    loopFailures: counter('loop_failures_total', 'Turns of background loops that failed.', ['loop']),
    histogram: <L extends string>(name: string, help: string, labelNames: readonly L[]) =>
      new Histogram({ ...described(name, help), labelNames, buckets: secondsBuckets }),
    /** Asked for when somebody looks; nothing is shown while the answer cannot be had. */
    gauge: (name: string, help: string, read: () => Promise<number>) =>
      new Gauge({
        ...described(name, help),
        aggregator: 'max', // all processes count the same thing
        async collect() {
          await read().then(
            (value) => this.set(value),
            () => this.reset(),
          )
        },
      }),
    text: () => registry.metrics(),
    contentType: registry.contentType,
  }
}

/** The figures of all processes that this one leads, added up. */
export function metricsOfForks(): Figures {
  const registry = new AggregatorRegistry()
  return { text: () => registry.clusterMetrics(), contentType: registry.contentType }
}

/** Making one is what lets this process answer, whatever the library does with it. */
function answerLeader(registry: Registry): void {
  AggregatorRegistry.setRegistries(registry)
  new AggregatorRegistry()
}
