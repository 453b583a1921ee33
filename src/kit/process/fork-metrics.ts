// The figures of several processes as one: the leader asks, and keeps what those that died have counted.
import cluster, { type Worker } from 'node:cluster'
import {
  AggregatorRegistry,
  Counter,
  Gauge,
  type MetricObjectWithValues,
  type MetricValue,
  Registry,
} from 'prom-client'
import { ignoreError } from './ignore-error.ts'

/** Every process shows it, and the one that leads counts: those that die cannot. */
export const countDeaths = (prefix: string, registry: Registry) =>
  new Counter({
    name: `${prefix}_processes_died_total`,
    help: 'Processes that died and were replaced.',
    registers: [registry],
  })

/**
 * The library leaves it out where there are several processes. It is the leader's: that one restarts with the program, and
 * whoever counts restarts by it does not take a process that was replaced for one.
 */
const tellStart = (prefix: string, registry: Registry) =>
  new Gauge({
    name: `${prefix}_process_start_time_seconds`,
    help: 'Start time of the process since unix epoch in seconds.',
    registers: [registry],
    // The leader's figures come first.
    aggregator: 'first',
  }).set(Math.round(Date.now() / 1_000 - process.uptime()))

export type Figures = { text(): Promise<string>; contentType: string; close?(): void }

type Registries = { ofProcess: Registry; ofStores: Registry }

/** `counts` are what may not be lost; gauges of stores are asked of one process alone, because all would say the same. */
type Scope = 'counts' | 'process' | 'everything'

type Question = { figures: { id: number; wanted: Scope } }
type Figure = MetricObjectWithValues<MetricValue<string>>
type Answer = { figuresOf: number; metrics: Figure[] }

/** Lets this process answer the one that leads it. */
export function answerLeader({ ofProcess, ofStores }: Registries): void {
  process.on('message', (message: Partial<Question>) => {
    if (!message?.figures) return
    const { id, wanted } = message.figures
    const read =
      wanted === 'counts' ? counts(ofProcess) : all(wanted === 'process' ? [ofProcess] : [ofProcess, ofStores])
    read.then((metrics) => process.send?.({ figuresOf: id, metrics })).catch(ignoreError('the leader does without'))
  })
}

const isCount = ({ type }: { type: unknown }) => type === 'counter' || type === 'histogram'

/** Nothing is asked of a store for it. */
const counts = (registry: Registry): Promise<Figure[]> =>
  Promise.all(
    registry
      .getMetricsAsArray()
      .filter(isCount)
      .map((metric) => (metric as unknown as { get(): Promise<Figure> }).get()),
  )

const all = async (registries: Registry[]): Promise<Figure[]> =>
  (await Promise.all(registries.map((registry) => registry.getMetricsAsJSON()))).flat() as Figure[]

/** What a process counted after it was last asked is lost with it, so it is asked often. */
const askEveryMs = 1_000

const answerWithinMs = 4_000

/** The figures of all processes that this one leads, added up: of those that died, what they had counted. */
export function metricsOfForks(prefix: string): Figures {
  const own = new Registry()
  const deaths = countDeaths(prefix, own)
  tellStart(prefix, own)
  const latest = new Map<number, Figure[]>()
  let departed: Promise<Figure[]> = Promise.resolve([])
  const bury = (worker: Worker, status: number | null) => {
    const last = (latest.get(worker.id) ?? []).filter(isCount)
    latest.delete(worker.id)
    departed = departed.then((before) => sum([before, last]))
    // One that ended as it was asked to did not die.
    if (status !== 0) deaths.inc()
  }
  const ask = askWorkers((worker, metrics) => void latest.set(worker.id, metrics))
  const timer = setInterval(() => void Promise.all(living().map((worker) => ask(worker, 'counts'))), askEveryMs)
  cluster.on('exit', bury)
  return {
    async text() {
      const answers = await Promise.all(living().map((worker, at) => ask(worker, at === 0 ? 'everything' : 'process')))
      const parts = [await all([own]), await departed, ...answers.map((each) => each ?? [])]
      return AggregatorRegistry.aggregate(parts).metrics()
    },
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    close() {
      clearInterval(timer)
      cluster.off('exit', bury)
    },
  }
}

const sum = async (parts: Figure[][]): Promise<Figure[]> =>
  (await AggregatorRegistry.aggregate(parts).getMetricsAsJSON()) as Figure[]

const living = (): Worker[] =>
  Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected()) as Worker[]

/** Returns what a process answers, or undefined if it does not in time. */
function askWorkers(onAnswer: (worker: Worker, metrics: Figure[]) => void) {
  let lastId = 0
  return (worker: Worker, wanted: Scope) =>
    new Promise<Figure[] | undefined>((resolve) => {
      const id = ++lastId
      const end = (metrics?: Figure[]) => {
        clearTimeout(timer)
        worker.off('message', hear).off('exit', leave)
        resolve(metrics)
      }
      const hear = ({ figuresOf, metrics }: Partial<Answer>) => {
        if (figuresOf !== id || !metrics) return
        onAnswer(worker, metrics)
        end(metrics)
      }
      const leave = () => end()
      const timer = setTimeout(end, answerWithinMs)
      worker.on('message', hear).on('exit', leave)
      worker.send({ figures: { id, wanted } } satisfies Question, ignoreError('one that ended is noticed by its end'))
    })
}
