// PostgreSQL with a standby: it is silent while token responses arrive, or it is promoted and lacks the last second.
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { expect, onTestFinished, test } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { poolMetrics } from '../../src/kit/database/store-metrics.ts'
import { createMetrics } from '../../src/kit/process/metrics.ts'
import { ownershipLabel } from '../../src/onboarding/domain/connection.ts'
import type { TokenSwitch } from '../support/doubles/provider/provider.ts'
import { answered, type Begun, beginLink, finishLink } from '../support/http/patient-user.ts'
import { atPace } from '../support/oracles/at-pace.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillablePostgres } from '../support/processes/killable-stores.ts'
import { type Fleet, type LinkRow, startFleet } from '../support/processes/onboarding-process.ts'
import { startReplicatedPostgres } from '../support/processes/replicated-postgres.ts'

/** Longer than the timeouts of a statement and of a connection, and than a lease. By hand: `FROZEN_SECONDS=70`. */
const frozenMs = Number(process.env.FROZEN_SECONDS ?? 25) * 1_000
const grants = 100
/** Half of the timeout of a token request. */
const maxHeldMs = 5_000

test.each([
  { what: 'PostgreSQL', startServers: startKillablePostgres },
  { what: 'the synchronous standby', startServers: startReplicatedPostgres },
])(
  'F22, $what is frozen while 100 token responses arrive: no grant is both revoked and delivered',
  async ({ startServers }) => {
    const postgres = await startServers()
    const fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
    onTestFinished(() => fleet.close())
    await Promise.all(Array.from({ length: 3 }, () => fleet.start())) // each has at most 64 connections to a provider
    await fleet.putTenant('acme')
    const begun: Begun[] = []
    for (let at = 0; at < grants; at++) begun.push(await beginLink(fleet))
    let requests = 0
    let isFrozen: Promise<void> | undefined
    const freeze = async () => {
      const areSent = waitFor('every code is sent', () => requests === grants, { withinMs: maxHeldMs })
      await areSent.catch(() => {}) // a slow machine sends fewer
      await postgres.freeze()
    }
    const token: TokenSwitch = async ({ body }) => {
      requests++
      isFrozen ??= freeze()
      await isFrozen
      return { body }
    }
    fleet.provider.misbehave({ token })

    const finishing = begun.map((each) => finishLink(fleet, each).catch(() => undefined))
    await waitFor('a response arrives', () => requests > 0)
    await isFrozen
    await pause(frozenMs)
    postgres.thaw()
    await Promise.all(finishing)
    await untilQuiet(fleet, 120_000)

    expect(await brokenPromises(fleet)).toEqual([])
    expect(await countLinked(fleet)).toBeGreaterThan(0)
  },
  600_000,
)

test('F22, a process is stopped while PostgreSQL is down and a token response has arrived: the grant is revoked', async () => {
  const postgres = await startKillablePostgres()
  const fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
  onTestFinished(() => fleet.close())
  const process = await fleet.start()
  await fleet.putTenant('acme')
  const begun = await beginLink(fleet)
  let isDown = false
  const token: TokenSwitch = async ({ body }) => {
    await postgres.kill()
    isDown = true
    return { body }
  }
  fleet.provider.misbehave({ token })

  const finishing = finishLink(fleet, begun).catch(() => undefined)
  await waitFor('the response leaves', () => isDown)
  await process.stop()
  await postgres.start()
  await finishing
  fleet.provider.misbehave({})
  await fleet.start()
  await untilQuiet(fleet, 120_000)

  expect(await brokenPromises(fleet)).toEqual([])
  expect(fleet.provider.issued.map(({ revoked }) => revoked)).toEqual([true])
}, 300_000)

test('F22, a standby one second behind is promoted at 25 links a second: no code is sent twice, and every reported link exists', async () => {
  const postgres = await startReplicatedPostgres({ isSynchronous: false })
  const fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
  const standby = new pg.Pool({ connectionString: postgres.standbyUrl, max: 2 })
  standby.on('error', () => {}) // promoted
  onTestFinished(async () => {
    await standby.end()
    await fleet.close()
  })
  await fleet.start()
  await fleet.putTenant('acme')
  postgres.replication.delay(1_000)
  let [sent, ended, isPromoted, isOver] = [0, 0, false, false]
  const toldLinked: Begun[] = []
  const visit = async () => {
    if (sent - ended >= maxUnderWay) return
    sent++
    await link().finally(() => ended++)
  }
  /** A consent takes longer than the standby is behind. */
  const link = async () => {
    const begun = await beginLink(fleet)
    await waitFor('the standby has the start', async () => {
      const { rowCount } = await standby.query('select from links where session_id = $1', [begun.minted.id])
      return rowCount === 1 || isPromoted
    })
    const { body } = await answered('completed', () => finishLink(fleet, begun))
    if (body.status === 'linked') toldLinked.push(begun)
  }

  const visits = atPace({ perSecond: 25, goesOn: () => !isOver }, visit)
  await waitFor('users are linked', () => toldLinked.length >= 50, { withinMs: 120_000 })
  await postgres.kill()
  await postgres.promote()
  isPromoted = true
  const before = toldLinked.length
  await waitFor('users are linked again', () => toldLinked.length >= before + 20, { withinMs: 120_000 })
  isOver = true
  await visits
  const isLost = async ({ minted }: Begun) => (await fleet.linkOf(minted))?.state !== 'linked'
  const lost = []
  for (const begun of toldLinked) if (await isLost(begun)) lost.push(begun)
  for (const begun of lost.filter((_, at) => at % 2 === 0)) await answered('reloaded', () => finishLink(fleet, begun))
  await fleet.sql.query('update links set due_at = now() where due_at is not null')
  await waitFor('every link has ended', async () => {
    const { rowCount } = await fleet.sql.query('select from links where due_at is not null')
    return rowCount === 0
  })

  const found = await Promise.all(toldLinked.map(({ minted }) => fleet.linkOf(minted)))
  expect(await brokenPromises(fleet)).toEqual([])
  expect(lost.length).toBeGreaterThan(0)
  expect(found.filter((each) => each?.state !== 'linked' || !hasConnection(fleet, each))).toEqual([])
}, 300_000)

test('an old primary comes back and a process knows both servers: only the new one is used', async () => {
  const postgres = await startReplicatedPostgres()
  const fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
  onTestFinished(() => fleet.close())
  const env = { DATABASE_URL: severalServers(postgres.primaryUrl, postgres.standbyUrl) }
  const link = async () => finishLink(fleet, await beginLink(fleet))
  const first = await fleet.start(env)
  await fleet.putTenant('acme')
  const before = await link()
  await postgres.kill()
  await postgres.promote()
  const after = await answered('linked again', link)
  await postgres.startPrimary()
  await first.stop()
  await fleet.start(env)
  const last = await answered('linked by a new process', link)

  expect([before, after, last].map(({ body }) => body.status)).toEqual(['linked', 'linked', 'linked'])
  expect(await brokenPromises(fleet)).toEqual([])
  expect(await countLinked(fleet)).toBe(3)
}, 300_000)

test('one address leads to an old primary: the process is not ready and writes nothing there', async () => {
  const postgres = await startReplicatedPostgres()
  const fleet = await startFleet({ postgres, env: { VERIFY_FUNCTIONS: 'false' } })
  onTestFinished(() => fleet.close())
  await fleet.start()
  await fleet.putTenant('acme')
  await finishLink(fleet, await beginLink(fleet))
  await postgres.kill()
  await postgres.promote()
  await answered('linked again', async () => finishLink(fleet, await beginLink(fleet)))
  await postgres.startPrimary()
  postgres.leadToPrimary()

  await waitFor('the process is not ready', async () => (await readiness(fleet)) === 'replaced')
  const written = await postgres.countOnPrimary('select from connect_sessions')
  await expect(beginLink(fleet)).rejects.toThrow()

  expect(await postgres.countOnPrimary('select from connect_sessions')).toBe(written)
}, 300_000)

test('commits wait for a silent standby: a connection that is given up does not stay on the server', async () => {
  const postgres = await startReplicatedPostgres()
  const pool = openPool(postgres.url, { connections: 4, statementTimeoutMs: 500 })
  const metrics = createMetrics('test')
  poolMetrics(metrics, pool)
  onTestFinished(async () => {
    postgres.thaw()
    await pool.end()
    await postgres.stop()
  })
  const countWaiting = () => postgres.countOnPrimary(`select from pg_stat_activity where wait_event = 'SyncRep'`)
  await pool.query('select 1')
  await postgres.freeze()

  const writes = Array.from({ length: 4 }, () => pool.query(`select pg_logical_emit_message(true, 'test', '')`))
  await waitFor('they wait', async () => (await countWaiting()) === 4)
  const ends = await Promise.allSettled(writes)

  expect(ends.map(({ status }) => status)).toEqual(Array(4).fill('rejected'))
  await waitFor('none stays', async () => (await countWaiting()) === 0)
  expect(await metrics.text()).toContain('test_database_connections_given_up_total 4')
}, 120_000)

const severalServers = (...urls: string[]) => {
  const hosts = urls.map((url) => new URL(url).host).join(',')
  const [url = ''] = urls
  return url.replace(new URL(url).host, hosts)
}

async function readiness({ url }: Fleet): Promise<string | undefined> {
  const answer = (await (await fetch(new URL('/readyz', url))).json()) as { parts?: { database?: string } }
  return answer.parts?.database
}

async function countLinked({ sql }: Fleet): Promise<number | null> {
  return (await sql.query(`select from links where state = 'linked'`)).rowCount
}

/** A slow machine skips users above this number. */
const maxUnderWay = 60

const hasConnection = ({ platform }: Fleet, link: LinkRow) =>
  [...platform.connections.values()].some(({ metadata }) => metadata.labels?.[ownershipLabel] === link.connection_id)
