// Links per second per core of the floor, of the usual way and of ours, in one run on one machine.
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { startRedis } from '../../src/kit/embedded/redis.ts'
import { type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { percentiles, round } from '../support/percentiles.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type LinkRequests, runLinks } from './load.ts'
import { prepareOurs } from './ours.ts'

const links = Number(process.argv[2] ?? 1_000)
const concurrency = 16
const rounds = 12
/** Until the engine has compiled what is hot: with fewer, the first rounds measure the compiler, and most of all ours. */
const warmUp = 3_000

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const folder = temporaryFolder()

const stub = await startMeasured(here('./stub.js'), {})
const stubUrl = `http://127.0.0.1:${stub.port}`
const redis = await startRedis({ folder: join(folder, 'redis') })
const postgres = await startPostgres({ folder: join(folder, 'postgres') })
const shared = { STUB_URL: stubUrl, REDIS_URL: redis.url }

type Candidate = { name: string; process: MeasuredProcess; requests(count: number): Promise<LinkRequests> }

const plain = (name: string, process: MeasuredProcess, start: string): Candidate => ({
  name,
  process,
  requests: async (count) => ({
    origin: `http://127.0.0.1:${process.port}`,
    starts: Array(count).fill(start),
    callbackPath: '/callback',
  }),
})

const ours = await prepareOurs({
  stubUrl,
  redisUrl: redis.url,
  postgres,
  folder,
  sessions: warmUp + rounds * links,
})
const candidates: Candidate[] = [
  plain('floor: node:http + ioredis', await startMeasured(here('./floor.js'), shared), '/connect'),
  plain('peer: express + passport-oauth2', await startMeasured(here('./peer.js'), shared), '/connect'),
  { name: 'causeway: ledger, escrow, audit', process: ours.process, requests: ours.requests },
]

type Row = ReturnType<typeof describe>
const rows = new Map<string, Row[]>(candidates.map(({ name }) => [name, []]))

try {
  for (const { requests } of candidates) await runLinks(await requests(warmUp), concurrency)
  // Rounds in turn, short and many: whatever else the machine does falls on all of them alike.
  for (let turn = 0; turn < rounds; turn++) {
    for (const candidate of candidates) rows.get(candidate.name)?.push(await measure(candidate))
  }
  report()
} finally {
  await Promise.all([...candidates.map(({ process }) => process.stop()), stub.stop()])
  await Promise.all([redis.stop(), postgres.stop()])
}

async function measure({ process, requests }: Candidate) {
  const asked = await requests(links)
  const before = process.cpuSeconds()
  const result = await runLinks(asked, concurrency)
  return describe(result, process.cpuSeconds() - before, process.memoryMb())
}

function describe(result: Awaited<ReturnType<typeof runLinks>>, cpuSeconds: number, memoryMb: number) {
  return {
    perCore: round(result.links / cpuSeconds, 0),
    perSecond: round(result.links / result.seconds, 0),
    cpuMs: round((cpuSeconds * 1_000) / result.links),
    memoryMb: round(memoryMb, 0),
    failed: result.failed,
    start: percentiles(result.startMs),
    callback: percentiles(result.callbackMs),
  }
}

function report() {
  const [floor, peer, mine] = [...rows.values()] as [Row[], Row[], Row[]]
  console.table(Object.fromEntries([...rows].map(([name, measured]) => [name, summary(measured)])))
  console.log(`peer / floor:     ${ratio(peer, floor)}`)
  console.log(`causeway / floor: ${ratio(mine, floor)}`)
  console.log(`causeway / peer:  ${ratio(mine, peer)}   (the bar: 1.25)`)
}

function summary(measured: Row[]) {
  const middle = (read: (row: Row) => number) => median(measured.map(read))
  const steps = (step: 'start' | 'callback') =>
    (['p50', 'p95', 'p99'] as const)
      .map((p) =>
        round(
          middle((row) => row[step][p]),
          1,
        ),
      )
      .join(' / ')
  return {
    'links/s/core': round(
      middle(({ perCore }) => perCore),
      0,
    ),
    'links/s': round(
      middle(({ perSecond }) => perSecond),
      0,
    ),
    'CPU ms/link': round(middle(({ cpuMs }) => cpuMs)),
    'KB/link': round(grownKb(measured), 1),
    'memory MB': round(Math.max(...measured.map(({ memoryMb }) => memoryMb)), 0),
    failed: measured.reduce((sum, { failed }) => sum + failed, 0),
    'start p50/p95/p99 ms': steps('start'),
    'callback p50/p95/p99 ms': steps('callback'),
  }
}

/** Of all rounds together, with what the lowest and the highest round say by themselves. */
function ratio(these: Row[], those: Row[]): string {
  const cpu = (all: Row[]) => all.reduce((sum, { cpuMs }) => sum + cpuMs, 0)
  const each = these.map(({ cpuMs }, at) => (those[at] as Row).cpuMs / cpuMs)
  const [lowest, highest] = [Math.min(...each), Math.max(...each)]
  return `${round(cpu(those) / cpu(these))}   (${round(lowest)} to ${round(highest)} in ${each.length} rounds)`
}

/** What a link leaves in the process, over all rounds: nothing is kept for it, so it should come near none. */
function grownKb(measured: Row[]): number {
  const [first, last] = [measured[0] as Row, measured.at(-1) as Row]
  return ((last.memoryMb - first.memoryMb) * 1_024) / (links * (measured.length - 1))
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}
