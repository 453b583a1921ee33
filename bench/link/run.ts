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

const links = Number(process.argv[2] ?? 3_000)
const concurrency = 16
const rounds = 3

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

const ours = await prepareOurs({ stubUrl, redisUrl: redis.url, postgres, folder })
const candidates: Candidate[] = [
  plain('floor: node:http + ioredis', await startMeasured(here('./floor.js'), shared), '/connect'),
  plain('peer: express + passport-oauth2', await startMeasured(here('./peer.js'), shared), '/connect'),
  { name: 'causeway: ledger, escrow, audit', process: ours.process, requests: ours.requests },
]

const best = new Map<string, Row>()
type Row = ReturnType<typeof describe>

try {
  // Until the engine has compiled what is hot: with fewer, the first rounds measure the compiler, and most of all ours.
  for (const { requests } of candidates) await runLinks(await requests(1_500), concurrency)
  // Rounds in turn: whatever else the machine does falls on all of them alike; the best round of each counts.
  for (let turn = 0; turn < rounds; turn++) {
    for (const candidate of candidates) {
      const row = await measure(candidate)
      const known = best.get(candidate.name)
      if (!known || row.perCore > known.perCore) best.set(candidate.name, row)
    }
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
  const rows = [...best]
  const [floor, peer, mine] = rows.map(([, row]) => row) as [Row, Row, Row]
  const steps = ({ p50, p95, p99 }: Row['start']) => [p50, p95, p99].map((ms) => round(ms, 1)).join(' / ')
  console.table(
    Object.fromEntries(
      rows.map(([name, row]) => [
        name,
        {
          'links/s/core': row.perCore,
          'links/s': row.perSecond,
          'CPU ms/link': row.cpuMs,
          'memory MB': row.memoryMb,
          failed: row.failed,
          'start p50/p95/p99 ms': steps(row.start),
          'callback p50/p95/p99 ms': steps(row.callback),
        },
      ]),
    ),
  )
  console.log(`peer / floor:     ${round(peer.perCore / floor.perCore)}`)
  console.log(`causeway / floor: ${round(mine.perCore / floor.perCore)}`)
  console.log(`causeway / peer:  ${round(mine.perCore / peer.perCore)}   (the bar: 1.25)`)
}
