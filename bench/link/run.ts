// Compares the cost of a link: the floor, the usual stack, the usual stack with a faster client, and ours.
import { fileURLToPath } from 'node:url'
import { type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { percentiles } from '../support/percentiles.ts'
import { progress } from '../support/progress.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { type LinkRequests, runLinks } from './load.ts'
import { linkBench } from './options.ts'
import { type OursNeeds, prepareOurs } from './ours.ts'
import { type Round, type RoundsByCandidate, report } from './report.ts'
import { costliestStatements, countStatements, countsBetween, startStores } from './stores.ts'

const bench = linkBench(process.argv.slice(2))
const { links, rounds, atOnce, alone, warmUp, stored } = bench

const here = (file: string) => fileURLToPath(new URL(file, import.meta.url))
const folder = temporaryFolder()

const stub = await startMeasured(here('./stub.js'), {})
const stubUrl = `http://127.0.0.1:${stub.port}`
const stores = await startStores(folder, bench)
const shared = { STUB_URL: stubUrl, REDIS_URL: stores.redis.url }

type Candidate = { process: MeasuredProcess; requests(count: number): Promise<LinkRequests> }

async function plain(file: string, env: Record<string, string> = {}): Promise<Candidate> {
  const process = await startMeasured(here(file), { ...shared, ...env })
  const origin = `http://127.0.0.1:${process.port}`
  const requests = async (count: number) => ({
    origin,
    starts: Array(count).fill('/connect'),
    callbackPath: '/callback',
  })
  return { process, requests }
}

progress(`Preparing ${warmUp + rounds * (links + alone)} connect sessions and ${stored} stored connections`)
const oursOn = (database: string, more: Partial<OursNeeds> = {}): Promise<Candidate> =>
  prepareOurs({
    stubUrl,
    redisUrl: stores.redis.url,
    databaseUrl: stores.postgres.url(database),
    folder,
    sessions: warmUp + rounds * (links + alone),
    stored: 0,
    ...more,
  })
const ours = await oursOn('onboarding')
const others = bench.ours
  ? {}
  : {
      floor: await plain('./floor.js'),
      passport: await plain('./peer.js'),
      passport_undici: await plain('./peer.js', { PEER_HTTP: 'undici' }),
    }
const candidates: Record<string, Candidate> = {
  ...others,
  causeway: ours,
  ...(bench.traced && { causeway_traced: await traced() }),
  ...(bench.before && { causeway_before: await before(bench.before) }),
  ...(stored > 0 && { causeway_stored: await withStored() }),
}
const measured: RoundsByCandidate = Object.fromEntries(Object.keys(candidates).map((name) => [name, []]))

try {
  for (const [name, { requests }] of Object.entries(candidates)) {
    progress(`Warming up ${name}: ${warmUp} links`)
    await runLinks(await requests(warmUp), atOnce)
  }
  if (bench.statements) await countStatements(stores.asking)
  // Alternates in many short rounds, so that other load on the machine affects all equally.
  for (let turn = 0; turn < rounds; turn++) {
    progress(`Round ${turn + 1} of ${rounds}: ${links} links, ${atOnce} at a time, and ${alone} alone`)
    for (const [name, candidate] of Object.entries(candidates)) measured[name]?.push(await measure(candidate))
  }
  report(bench, measured)
  if (bench.statements) console.table(await costliestStatements(stores.asking, rounds * (links + alone)))
} finally {
  await Promise.all([...Object.values(candidates).map(({ process }) => process.stop()), stub.stop()])
  await stores.stop()
}

async function traced(): Promise<Candidate> {
  await stores.postgres.createDatabase('traced')
  return oursOn('traced', { env: { OTEL_EXPORTER_OTLP_ENDPOINT: stubUrl, OTEL_TRACES_SAMPLER_ARG: '0.1' } })
}

async function before(checkout: string): Promise<Candidate> {
  await stores.postgres.createDatabase('before')
  return oursOn('before', { checkout })
}

/** With a full ledger, in addition to an empty one. */
async function withStored(): Promise<Candidate> {
  await stores.postgres.createDatabase('stored')
  return oursOn('stored', { stored })
}

async function measure({ process, requests }: Candidate): Promise<Round> {
  const [concurrent, single] = [await requests(links), await requests(alone)]
  const [cpuBefore, before] = [process.cpuSeconds(), await stores.counts()]
  const many = await runLinks(concurrent, atOnce)
  const [cpuAfter, after] = [process.cpuSeconds(), await stores.counts()]
  const one = alone > 0 ? await runLinks(single, 1) : undefined
  const spent = countsBetween(before, after)
  return {
    serverMs: ((cpuAfter - cpuBefore) * 1_000) / many.links,
    postgresMs: (spent.postgresCpu * 1_000) / many.links,
    redisMs: (spent.redisCpu * 1_000) / many.links,
    walBytes: spent.walBytes / many.links,
    commits: spent.commits / many.links,
    redisCommands: spent.redisCommands / many.links,
    redisBytes: spent.redisBytes / many.links,
    perSecond: many.links / many.seconds,
    startMs: percentiles(many.startMs),
    callbackMs: percentiles(many.callbackMs),
    aloneMs: one && percentiles(one.linkMs),
    memoryMb: process.memoryMb(),
    failed: many.failed + (one?.failed ?? 0),
  }
}
