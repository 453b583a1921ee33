import cluster from 'node:cluster'
import { AggregatorRegistry, Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { listen } from '../http/http-server.ts'

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

export type MetricsAddress = { host: string; metricsPort: number | undefined }

/**
 * A port of its own, so that what the world can reach never shows figures. Without a port there is none; where there
 * are several processes, the one that leads them has it.
 */
export async function listenForMetrics({ host, metricsPort }: MetricsAddress, metrics: Figures) {
  if (metricsPort === undefined || cluster.isWorker) return { port: undefined, close: async () => {} }
  const server = await listen(
    async (req, res) => {
      if (req.url !== '/metrics') return void res.writeHead(404).end()
      // A process that dies while it is asked leaves the question open.
      const text = await metrics.text().catch(() => undefined)
      if (text === undefined) return void res.writeHead(503).end()
      res.writeHead(200, { 'Content-Type': metrics.contentType }).end(text)
    },
    { host, port: metricsPort },
  )
  return { port: server.port, close: () => server.close(0) }
}
