// Confirmed work is billed exactly once, even if its process was killed.
import { appendFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'
import { describe, expect, onTestFinished, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { diskSpool } from '../../../src/platform/shared/adapters/usage-spool.ts'
import { postgresUsage } from '../../../src/platform/shared/postgres/usage-events.ts'
import { loopReports } from '../../support/doubles/loop-reports.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { startPlatformProcess } from '../../support/processes/platform-process.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { jobWorld } from '../../support/worlds/job-world.ts'
import { used } from '../../support/worlds/metered.ts'
import { createResource, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

/** Where each is asked for, and what it is billed as. */
const kinds = [
  { path: 'agents/echo', dimension: 'agent_compute_runtime_gbs' },
  { path: 'agents/echo?async=true', dimension: 'agent_async_requests_count' },
  { path: 'sandboxes/box/mcp', dimension: 'sandbox_compute_runtime_gbs' },
]

test('a killed gateway has recorded the usage of all responses that arrived', async () => {
  const world = await worldOfEcho()
  const program = await startPlatformProcess(world, { RATE_KEY_PER_MINUTE: '1000000' })
  const asked = kinds.map(({ path, dimension }) => ({
    dimension,
    answered: new Set<string>(),
    askOnce: () => ask(world, `${program.url}/acme/${path}`),
  }))
  await killedInTheMiddle(program, asked)

  const last = await startPlatformProcess(world)
  // A note is removed a moment after it was stored, be it by the new process or by this one.
  const noteIsLeft = () => readdirSync(join(world.config.dataFolder, 'usage')).length > 0
  const billed = async () => {
    for (const { answered, dimension } of asked) {
      if (!isSubset(answered, await idsOf(world, dimension))) return false
    }
    return !noteIsLeft()
  }
  await waitFor('all that was answered is billed, and no note is left', billed, { withinMs: 60_000 })
  await last.stop()

  expect(Math.min(...asked.map(({ answered }) => answered.size))).toBeGreaterThanOrEqual(enough)
  expect(await sumsAgree(world)).toBe(true)
})

test('a finished task is billed immediately, and a repeated one is billed once', async () => {
  const world = await jobWorld({ env: { JOB_TASKS: '0' } })
  onTestFinished(() => world.close())
  const { pool } = world.platform
  const worker = () => startPlatformProcess(world.platform, { RUNTIMES_FILE: world.runtimesFile, JOB_TASKS: '6' })
  await world.job('flaky', { image: 'test/flaky', maxRetries: 20 })
  const first = await worker()
  const id = await world.start('flaky', { tasks: Array.from({ length: 30 }, () => ({})), parallelism: 6 })
  const hasEnded = async () => world.marks().length >= 12 && (await pool.query(tally)).rows[0].ended > 0
  await waitFor('some tasks ran, and one of them succeeded', hasEnded, { withinMs: 60_000 })

  await first.kill()
  const half = await pool.query(tally)
  const second = await worker()
  await world.over('flaky', id, 100_000)
  await second.stop()
  const whole = await pool.query(tally)

  expect(half.rows[0].ended).toBeGreaterThan(0)
  expect(half.rows[0].billed).toBe(half.rows[0].ended)
  expect(whole.rows[0]).toEqual({ ended: 30, billed: 30 })
})

/**
 * How many tasks have succeeded, and how many successes are on the bill. In one look: the database may still finish what
 * the killed worker had sent it.
 */
const tally = `
  select
    (select count(*)::int from tasks where state = 'succeeded') as ended,
    (select count(*)::int from usage_events join tasks t
      on t.state = 'succeeded' and event_id = 'task-' || t.execution || '/' || t.index || '/' || t.attempts) as billed`

describe('notes on disk', () => {
  test('of a dead process are read, without an incomplete last one', async () => {
    const folder = temporaryFolder()
    const dead = diskSpool(folder, { onError: fail })
    dead.add('{"event_id":"one"}')
    dead.add('{"event_id":"two"}')
    appendFileSync(join(folder, readdirSync(folder)[0] ?? ''), '{"event_id":"th')

    const parts = await diskSpool(folder, { onError: fail }).abandoned()

    expect(parts.map(({ notes }) => notes)).toEqual([['{"event_id":"one"}', '{"event_id":"two"}']])
  })

  test('are removed when stored, and available to other processes when abandoned', async () => {
    const folder = temporaryFolder()
    const spool = diskSpool(folder, { onError: fail })
    spool.add('{"event_id":"stored"}')
    const stored = spool.take()
    spool.add('{"event_id":"late"}')
    const late = spool.take()

    const mine = await spool.abandoned()
    await stored?.remove()
    late?.abandon()
    const given = await spool.abandoned()

    expect(mine).toEqual([])
    expect(given.map(({ notes }) => notes)).toEqual([['{"event_id":"late"}']])
  })

  test('are private, and sibling folders stay accessible', () => {
    const data = join(temporaryFolder(), 'data')
    diskSpool(join(data, 'usage'), { onError: fail })

    expect([data, join(data, 'usage')].map((folder) => statSync(folder).mode & 0o777)).toEqual([0o711, 0o700])
  })

  test('of a running process are not taken', async () => {
    const folder = temporaryFolder()
    const spool = diskSpool(folder, { onError: fail })
    spool.add('{"event_id":"one"}')
    const [name = ''] = readdirSync(folder)
    writeFileSync(join(folder, name.replace(`.${process.pid}.`, `.${process.ppid}.`)), '{"event_id":"theirs"}\n')

    expect(await spool.abandoned()).toEqual([])
  })

  test('wait for an unavailable database, and are stored and removed once it recovers', async () => {
    const folder = temporaryFolder()
    const stored: string[] = []
    let isAway = true
    let tries = 0
    const query = async ({ values }: { values: [string] }) => {
      tries++
      if (isAway) throw new Error('the database is away')
      stored.push(...JSON.parse(values[0]).map(({ event_id }: { event_id: string }) => event_id))
      return { rows: [], rowCount: 1 }
    }
    const usage = postgresUsage({ query } as unknown as pg.Pool, diskSpool(folder, { onError: fail }), loopReports())
    usage.record(used({ at: '2026-03-02T00:00:00Z', eventId: 'early' }))
    await waitFor('it was tried', () => tries > 0)
    usage.record(used({ at: '2026-03-02T00:00:01Z', eventId: 'late' }))

    isAway = false
    await usage.close()

    expect(stored).toEqual(['early', 'late'])
    expect(readdirSync(folder)).toEqual([])
  })

  test("that can't be written are kept in memory and logged", async () => {
    const problems: unknown[] = []
    const file = join(temporaryFolder(), 'no-folder')
    writeFileSync(file, '')
    const spool = diskSpool(file, { onError: (error) => problems.push(error) })

    spool.add('{"event_id":"one"}')

    expect(spool.take()?.notes).toEqual(['{"event_id":"one"}'])
    expect(problems).not.toEqual([])
  })
})

function fail(error: unknown): never {
  throw error
}

async function worldOfEcho(): Promise<PlatformWorld> {
  const world = await platformWorld({ env: { JOB_TASKS: '0' } })
  onTestFinished(() => world.close())
  const api = world.as(world.admin)
  for (const [kind, name] of Object.entries({ agents: 'echo', sandboxes: 'box' })) {
    await createResource(api, kind, name, { runtime: { image: 'local/echo' } })
  }
  return world
}

/** The id of a request whose answer came whole. */
async function ask(world: PlatformWorld, url: string): Promise<string | undefined> {
  const initialize = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      Authorization: `Bearer ${world.admin.key}`,
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify(
      url.includes('/mcp') ? { jsonrpc: '2.0', id: 1, method: 'initialize', params: initialize } : { inputs: 'hello' },
    ),
  })
  await answer.text()
  const id = answer.headers.get('X-Request-Id') ?? undefined
  return answer.ok ? (url.includes('async=') ? `${id}-async` : id) : undefined
}

const enough = 20

type KindOfCall = { answered: Set<string>; askOnce(): Promise<string | undefined> }

/** Callers keep asking; the kill falls among them, once they had some answers of each kind. */
async function killedInTheMiddle(program: { kill(): Promise<void> }, asked: readonly KindOfCall[]): Promise<void> {
  let isOver = false
  const callers = [...asked, ...asked].map(async ({ answered, askOnce }) => {
    while (!isOver) {
      const id = await askOnce().catch(() => undefined)
      if (id) answered.add(id)
    }
  })
  const hasEnough = () => asked.every(({ answered }) => answered.size >= enough)
  await waitFor('some answers', hasEnough, { withinMs: 60_000, everyMs: 1 })
  await program.kill()
  isOver = true
  await Promise.all(callers)
}

async function idsOf({ pool }: PlatformWorld, dimension: string): Promise<Set<string>> {
  const { rows } = await pool.query('select event_id from usage_events where dimension = $1', [dimension])
  return new Set(rows.map(({ event_id }) => event_id))
}

const isSubset = (some: Set<string>, all: Set<string>) => [...some].every((each) => all.has(each))

async function sumsAgree({ pool }: PlatformWorld): Promise<boolean> {
  const { rows } = await pool.query(
    'select (select sum(quantity) from usage_events) = (select sum(usage) from usage_months) as agree',
  )
  return rows[0].agree
}

test('usage that cannot be spooled is counted, and its response is not lost', async () => {
  const world = await worldOfEcho()
  // A file where the spool's folder would be.
  const folder = temporaryFolder()
  writeFileSync(join(folder, 'usage'), '')
  const metricsPort = await freePort()
  const program = await startPlatformProcess(world, { METRICS_PORT: String(metricsPort), DATA_FOLDER: folder })
  onTestFinished(() => program.kill())

  const answer = await ask(world, `${program.url}/acme/agents/echo`)
  const figures = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text()

  expect(answer).toBeTruthy()
  expect(figures).toMatch(/^platform_usage_unspooled_total [1-9]/m)
})
