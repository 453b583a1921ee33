// `npm run bench:platform [-- --drives 100000]`: fills a workspace with drives and measures list, create and get.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { startLoad } from '../support/load-process.ts'
import { type MeasuredProcess, startMeasured } from '../support/measured-process.ts'
import { benchWorkspace } from './drives.ts'
import { latency, type Rate, throughput } from './measure.ts'

type Line = { what: string; measured: string; bar: string; holds: boolean }
type Server = { program: MeasuredProcess; pool: Pool }

const { values } = parseArgs({ options: { drives: { type: 'string', default: '1000000' } } })
const drives = Number(values.drives)
const keys = `bench:${randomBytes(32).toString('hex')}`
const world = await benchWorkspace()

try {
  process.stdout.write(`building ${drives} drives …\n`)
  await world.fill(drives)
  const platform = await start('../../../dist/platform/main.js')
  const bare = await start('./bare.js')
  report([...(await measureListing(platform)), ...(await measureThroughput(platform, bare))])
  await Promise.all([platform, bare].map(stop))
} finally {
  await world.stop()
}

async function start(file: string): Promise<Server> {
  const env = {
    DATABASE_URL: world.url,
    ENCRYPTION_KEYS: keys,
    LOG_LEVEL: 'error',
    HOST: '127.0.0.1',
    PORT: '0',
    RATE_KEY_PER_MINUTE: '100000000',
  }
  const program = await startMeasured(fileURLToPath(new URL(file, import.meta.url)), env, profiling())
  return { program, pool: new Pool(`http://127.0.0.1:${program.port}`, { connections: 32 }) }
}

/** `PROFILE=<folder>` writes CPU profiles there. */
function profiling(): string[] {
  const folder = process.env.PROFILE
  return folder ? ['--cpu-prof', `--cpu-prof-dir=${folder}`] : []
}

async function stop({ program, pool }: Server): Promise<void> {
  await pool.close()
  await program.stop()
}

async function measureListing({ pool }: Server): Promise<Line[]> {
  const list = async (query: Record<string, string>) => {
    const path = `/v0/drives?${new URLSearchParams(query)}`
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers: world.headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(text)
  }
  const cursor = await world.middleCursor(keys, drives)
  const pages = { first: () => list({}), middle: () => list({ cursor }), end: () => list({ anchor: 'end' }) }
  const { first, middle, end } = await latency(pages, 200)
  const searches = { oneHit: () => list({ q: world.someName(drives) }), rarePair: () => list({ q: 'zq' }) }
  const { oneHit, rarePair } = await latency(searches, 200)
  const likeFirst = (what: string, times: Times): Line => ({
    what,
    measured: `${shown(times)}, ${(times.p50 / first.p50).toFixed(2)} of the first`,
    bar: 'at most 1.5 of the first',
    holds: times.p50 <= 1.5 * first.p50,
  })
  const fast = (what: string, times: Times): Line => ({
    what,
    measured: shown(times),
    bar: 'p95 under 50 ms',
    holds: times.p95 < 50,
  })
  return [
    { what: 'first page', measured: shown(first), bar: '', holds: true },
    likeFirst('page in the middle', middle),
    likeFirst('anchor=end', end),
    fast('q with one hit', oneHit),
    fast('q of two rare characters', rarePair),
  ]
}

type Times = { p50: number; p95: number }

function shown({ p50, p95 }: Times): string {
  return `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`
}

async function measureThroughput(ours: Server, bare: Server): Promise<Line[]> {
  const json = { ...world.headers, 'content-type': 'application/json' }
  const create = (prefix: string) => {
    const body = JSON.stringify({ metadata: { name: `${prefix}-{n}` }, spec: { region: 'local', size: 5 } })
    return { method: 'POST', path: '/v0/drives', headers: json, body } as const
  }
  const get = { method: 'GET', path: `/v0/drives/${world.nameOf(drives / 2)}`, headers: world.headers } as const
  const load = startLoad()
  try {
    return [
      compared('get', await throughput(load, [ours, bare], [get, get])),
      compared('create', await throughput(load, [ours, bare], [create('ours'), create('bare')])),
    ]
  } finally {
    await load.stop()
  }
}

/** Also reports CPU time per request, which does not depend on other load of the machine. */
function compared(what: string, [ours, bare]: Rate[]): Line {
  if (!ours || !bare) throw new Error('nothing was measured')
  const factor = bare.perSecond / ours.perSecond
  return {
    what,
    measured:
      `${Math.round(ours.perSecond)}/s at ${ours.cpuMs.toFixed(2)} ms CPU, ` +
      `bare ${Math.round(bare.perSecond)}/s at ${bare.cpuMs.toFixed(2)} ms CPU, factor ${factor.toFixed(2)}`,
    bar: 'above 1500/s, factor at most 2',
    holds: ours.perSecond > 1_500 && factor <= 2,
  }
}

function report(lines: readonly Line[]): void {
  for (const { what, measured, bar, holds } of lines) {
    const verdict = bar === '' ? '' : holds ? `  holds (${bar})` : `  MISSED (${bar})`
    process.stdout.write(`${what.padEnd(26)} ${measured}${verdict}\n`)
  }
  if (lines.some(({ holds }) => !holds)) process.exitCode = 1
}
