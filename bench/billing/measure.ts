import { randomBytes } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { Pool } from 'undici'
import { openPool } from '../../src/kit/database/pool.ts'
import { createLog } from '../../src/kit/process/log.ts'
import { kitEvents } from '../../src/kit/process/log-events.ts'
import { createMetrics } from '../../src/kit/process/metrics.ts'
import { diskSpool } from '../../src/platform/shared/adapters/usage-spool.ts'
import type { UsageEvent } from '../../src/platform/shared/domain/usage.ts'
import { postgresUsage } from '../../src/platform/shared/postgres/usage-events.ts'
import { inTurns } from '../support/in-turns.ts'
import { startMeasured } from '../support/measured-process.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'
import { weeks, workspaces, year } from './events.ts'

export type Line = { what: string; measured: string; bar: string; holds: boolean }

type Account = { url: string; accountId: string; apiKey: string }
type Ask = (query: Record<string, string>) => Promise<void>

const wholeYear = { startTime: year.from, endTime: year.to }
const someWeek = { startTime: '2025-06-02T00:00:00Z', endTime: '2025-06-09T00:00:00Z' }

export async function measure(account: Account, rounds: number): Promise<Line[]> {
  const env = {
    DATABASE_URL: account.url,
    DATA_FOLDER: temporaryFolder(),
    ENCRYPTION_KEYS: `bench:${randomBytes(32).toString('hex')}`,
    LOG_LEVEL: 'error',
    RATE_KEY_PER_MINUTE: '100000000',
    HOST: '127.0.0.1',
    PORT: '0',
  }
  const program = await startMeasured(fileURLToPath(new URL('../../../dist/platform/main.js', import.meta.url)), env)
  const pool = new Pool(`http://127.0.0.1:${program.port}`, { connections: 4 })
  const ask: Ask = async (query) => {
    const path = `/v0/accounts/${account.accountId}/metrics?${new URLSearchParams(query)}`
    const headers = { authorization: `Bearer ${account.apiKey}` }
    const { statusCode, body } = await pool.request({ method: 'GET', path, headers })
    const text = await body.text()
    if (statusCode !== 200) throw new Error(text)
  }
  const lines = [...(await latencies(ask, rounds)), await ingest(account.url, ask)]
  await pool.close()
  await program.stop()
  return lines
}

async function latencies(ask: Ask, rounds: number): Promise<Line[]> {
  const byName = { resolution: 'hourly', groupBy: 'resource_name' }
  const weekOf = ({ from, to }: { from: string; to: string }) => ask({ startTime: from, endTime: to, ...byName })
  const [months, hours, sparse, calm, busy] = await inTurns(rounds, [
    () => ask({ ...wholeYear, resolution: 'monthly', groupBy: 'workspace,billing_dimension' }),
    () => ask({ ...someWeek, ...byName }),
    () => weekOf(weeks.sparse),
    () => weekOf(weeks.calm),
    () => weekOf(weeks.busy),
  ])
  return [
    timed('a year by month, workspace and dimension', months, 300),
    timed('a week by hour and resource name', hours, 150),
    compared('ten times the events in every hour', calm, busy, 1.3),
    compared('an event each hour instead of each tenth', sparse, calm),
  ]
}

type Times = { p50: number; p95: number } | undefined

function compared(what: string, fewer: Times, more: Times, maxFactor?: number): Line {
  const factor = (more?.p50 ?? Number.NaN) / (fewer?.p50 ?? Number.NaN)
  return {
    what,
    measured: `p50 ${fewer?.p50.toFixed(1)} ms, then ${more?.p50.toFixed(1)} ms, factor ${factor.toFixed(2)}`,
    bar: maxFactor === undefined ? 'no bar: these are ten times the sums' : `factor at most ${maxFactor}`,
    holds: maxFactor === undefined || factor <= maxFactor,
  }
}

/** Runs the program's writer in this process at full speed while the program serves queries. */
async function ingest(url: string, ask: Ask): Promise<Line> {
  const pool = openPool(url)
  const spool = diskSpool(temporaryFolder(), {
    onError(error) {
      throw error
    },
  })
  const usage = postgresUsage(pool, spool, {
    log: createLog('billing', 'warn', kitEvents),
    metrics: createMetrics('billing'),
  })
  const count = 30_000
  const at = new Date()
  const run = `live-${at.getTime()}-`
  let busy = true
  let queries = 0
  const asking = (async () => {
    for (; busy; queries++) await ask({ ...someWeek, groupBy: 'resource_name' })
  })()
  const startedAt = performance.now()
  for (let n = 0; n < count; n++) usage.record(useNumber(run, n, at))
  await usage.close()
  const perSecond = count / ((performance.now() - startedAt) / 1000)
  busy = false
  await asking
  const { rows } = await pool.query(
    'select count(*) as stored from usage_events where starts_with(event_id, $1) and counted_at = $2',
    [run, at],
  )
  await pool.end()
  return {
    what: 'ingest while queries run',
    measured: `${Math.round(perSecond)} events/s, ${rows[0].stored} of ${count} stored, ${queries} queries meanwhile`,
    bar: 'at least 5000 events/s, none lost',
    holds: perSecond >= 5_000 && rows[0].stored === count,
  }
}

function useNumber(run: string, n: number, at: Date): UsageEvent {
  return {
    eventId: `${run}${n}`,
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

function timed(what: string, times: Times, limitMs: number): Line {
  const { p50 = Number.NaN, p95 = Number.NaN } = times ?? {}
  return {
    what,
    measured: `p50 ${p50.toFixed(1)} ms, p95 ${p95.toFixed(1)} ms`,
    bar: `p95 under ${limitMs} ms`,
    holds: p95 < limitMs,
  }
}
