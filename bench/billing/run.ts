// `npm run bench:billing [-- --events 1000000]`: a year of usage, queries over it, and ingest while queries run.
import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { Pool } from 'undici'
import { openDatabase } from '../../src/kit/database/database.ts'
import { diskSpool } from '../../src/platform/shared/adapters/usage-spool.ts'
import type { UsageEvent } from '../../src/platform/shared/domain/usage.ts'
import { postgresUsage } from '../../src/platform/shared/postgres/usage-events.ts'
import { startMeasured } from '../support/measured-process.ts'
import { percentiles } from '../support/percentiles.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { benchAccount, workspaces, year } from './events.ts'

type Line = { what: string; measured: string; bar: string; holds: boolean }
type Query = Record<string, string>

const { values } = parseArgs({
  options: { events: { type: 'string', default: '10000000' }, rounds: { type: 'string', default: '60' } },
})
const events = Number(values.events)
const rounds = Number(values.rounds)
const wholeYear = { startTime: year.from, endTime: year.to }
const someWeek = { startTime: '2025-06-02T00:00:00Z', endTime: '2025-06-09T00:00:00Z' }
const calmWeek = { startTime: '2026-02-02T00:00:00Z', endTime: '2026-02-09T00:00:00Z' }
const busyWeek = { startTime: '2026-03-02T00:00:00Z', endTime: '2026-03-09T00:00:00Z' }
const account = await benchAccount()

try {
  const startedAt = performance.now()
  process.stdout.write(`building ${events} events over a year in ${workspaces} workspaces …\n`)
  await account.fill('year-', events, 5, year)
  // Every series has an event in every hour of both weeks; in one of them it has ten.
  const seriesHours = workspaces * 7 * 24
  await account.fill('calm-', seriesHours, 1, { from: calmWeek.startTime, to: calmWeek.endTime })
  await account.fill('busy-', seriesHours * 10, 1, { from: busyWeek.startTime, to: busyWeek.endTime })
  await account.settle()
  process.stdout.write(`built in ${Math.round((performance.now() - startedAt) / 1000)} s\n`)
  report(await measure())
} finally {
  await account.stop()
}

async function measure(): Promise<Line[]> {
  const env = {
    DATABASE_URL: account.url,
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    LOG_LEVEL: 'error',
    RATE_KEY_PER_MINUTE: '100000000',
    HOST: '127.0.0.1',
    PORT: '0',
  }
  const program = await startMeasured(fileURLToPath(new URL('../../../dist/platform/main.js', import.meta.url)), env)
  const pool = new Pool(`http://127.0.0.1:${program.port}`, { connections: 4 })
  const ask = async (query: Query) => {
    const path = `/v0/accounts/${account.accountId}/metrics?${new URLSearchParams(query)}`
    const headers = { authorization: `Bearer ${account.apiKey}` }
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(text)
  }
  const lines = [...(await latencies(ask)), await ingest(ask)]
  await pool.close()
  await program.stop()
  return lines
}

async function latencies(ask: (query: Query) => Promise<void>): Promise<Line[]> {
  const byName = { resolution: 'hourly', groupBy: 'resource_name' }
  const [months, hours, calm, busy] = await inTurns([
    () => ask({ ...wholeYear, resolution: 'monthly', groupBy: 'workspace,billing_dimension' }),
    () => ask({ ...someWeek, ...byName }),
    () => ask({ ...calmWeek, ...byName }),
    () => ask({ ...busyWeek, ...byName }),
  ])
  const factor = (busy?.p50 ?? 0) / (calm?.p50 ?? 1)
  return [
    timed('a year by month, workspace and dimension', months, 300),
    timed('a week by hour and resource name', hours, 150),
    {
      what: 'ten times the events per hour',
      measured: `p50 ${calm?.p50.toFixed(1)} ms, then ${busy?.p50.toFixed(1)} ms, factor ${factor.toFixed(2)}`,
      bar: 'factor at most 1.3',
      holds: factor <= 1.3,
    },
  ]
}

/** One call of each in turn, so that a busy moment of the machine falls on all of them. */
async function inTurns(calls: ReadonlyArray<() => Promise<void>>) {
  const times = calls.map(() => [] as number[])
  for (let round = -5; round < rounds; round++) {
    for (const [at, call] of calls.entries()) {
      const startedAt = performance.now()
      await call()
      if (round >= 0) times[at]?.push(performance.now() - startedAt)
    }
  }
  return times.map(percentiles)
}

/** The writer of the program, in this process, as fast as it can, while the program answers queries. */
async function ingest(ask: (query: Query) => Promise<void>): Promise<Line> {
  const { pool, close } = openDatabase<unknown>(account.url)
  const spool = diskSpool(temporaryFolder(), {
    onTrouble(error) {
      throw error
    },
  })
  const usage = postgresUsage(pool, spool)
  const count = 30_000
  const at = new Date()
  for (let n = 0; n < count; n++) usage.record(useNumber(n, at))
  let busy = true
  let queries = 0
  const asking = (async () => {
    for (; busy; queries++) await ask({ ...someWeek, groupBy: 'resource_name' })
  })()
  const startedAt = performance.now()
  await usage.close()
  const perSecond = count / ((performance.now() - startedAt) / 1000)
  busy = false
  await asking
  const { rows } = await pool.query("select count(*) as stored from usage_events where event_id like 'live-%'")
  await close()
  return {
    what: 'ingest while queries run',
    measured: `${Math.round(perSecond)} events/s, ${rows[0].stored} of ${count} stored, ${queries} queries meanwhile`,
    bar: 'at least 5000 events/s, none lost',
    holds: perSecond >= 5_000 && rows[0].stored === count,
  }
}

function useNumber(n: number, at: Date): UsageEvent {
  return {
    eventId: `live-${n}`,
    workspace: `ws-${n % workspaces}`,
    resourceType: 'agent',
    resourceName: `agent-${n % 5}`,
    resourceUuid: `ws-${n % workspaces}-agent-${n % 5}`,
    dimension: 'agent_compute_runtime_gbs',
    quantity: (n % 997) / 1000,
    startedAt: at,
    endedAt: at,
  }
}

function timed(what: string, times: { p50: number; p95: number } | undefined, limitMs: number): Line {
  const { p50 = Number.NaN, p95 = Number.NaN } = times ?? {}
  return {
    what,
    measured: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
    bar: `p95 under ${limitMs} ms`,
    holds: p95 < limitMs,
  }
}

function report(lines: readonly Line[]): void {
  for (const { what, measured, bar, holds } of lines) {
    process.stdout.write(`${what.padEnd(42)} ${measured}  ${holds ? 'holds' : 'MISSED'} (${bar})\n`)
  }
  if (lines.some(({ holds }) => !holds)) process.exitCode = 1
}
