// `npm run test:failover`: users link accounts while a store or a process fails. Prints the rows of docs/guarantees.md.
// FAILOVER_RATE links a second (20).
import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, expect, test } from 'vitest'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { atPace } from '../support/oracles/at-pace.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillableRedis } from '../support/processes/killable-stores.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { startPgBouncer } from '../support/processes/pgbouncer.ts'
import { startProxy } from '../support/processes/proxies.ts'
import { clusterSettings, startCluster, startSentinel } from '../support/processes/redis-topologies.ts'
import { startReplicatedPostgres } from '../support/processes/replicated-postgres.ts'
import { createTestDatabase } from '../support/processes/stores.ts'

const perSecond = Number(process.env.FAILOVER_RATE ?? 20)
const processCount = 2
const maxUnderWay = 500
const usersBefore = 60
const usersAfter = 100

type Stage = { fleet: Fleet; fail(): Promise<unknown>; close(): Promise<unknown> }

const scenarios: Record<string, () => Promise<Stage>> = {
  async 'PostgreSQL: the primary is killed, and a synchronous standby is promoted'() {
    const postgres = await startReplicatedPostgres()
    const fleet = await fleetOf({ postgres })
    const fail = async () => {
      await postgres.kill()
      await postgres.promote()
    }
    return { fleet, fail, close: fleet.close }
  },
  async 'PostgreSQL: the synchronous standby is silent for 20 s'() {
    const postgres = await startReplicatedPostgres()
    const fleet = await fleetOf({ postgres })
    const fail = async () => {
      await postgres.freeze()
      await pause(20_000)
      postgres.thaw()
    }
    return { fleet, fail, close: fleet.close }
  },
  async 'PgBouncer is killed four times, every 5 s'() {
    const direct = await createTestDatabase('onboarding')
    const settings = { listen_port: await freePort(), default_pool_size: 40 }
    let pooler = await startPgBouncer('session', settings)
    const fleet = await fleetOf({ postgres: { url: pooler.through(direct), stop: async () => pooler.stop() } })
    const fail = async () => {
      for (let nth = 0; nth < 4; nth++) {
        await pooler.kill()
        pooler = await startPgBouncer('session', settings)
        await pause(5_000)
      }
    }
    return { fleet, fail, close: fleet.close }
  },
  async 'Redis with Sentinel: the primary is killed'() {
    const fleet = await startFleet({ env })
    const { port, password } = fleet.redis
    const replica = await startKillableRedis({ replicaof: `127.0.0.1 ${port}`, masterauth: password }, password)
    const sentinel = await startSentinel(port, password)
    await waitFor('the sentinel knows the replica', async () =>
      String(await sentinel.command('sentinel', 'replicas', 'main')).includes(String(replica.port)),
    )
    await startProcesses(fleet, { REDIS_URL: `redis+sentinel://:${password}@127.0.0.1:${sentinel.port}/main` })
    const close = async () => {
      await fleet.close()
      await Promise.all([replica.stop(), sentinel.stop()])
    }
    const fail = async () => {
      await fleet.redis.kill()
      await waitFor(
        'the replica leads',
        async () => String(await replica.command('info', 'replication')).includes('role:master'),
        { withinMs: 90_000 },
      )
      await fleet.redis.start()
    }
    return { fleet, fail, close }
  },
  async 'Redis Cluster: one of three primaries is killed'() {
    const { cluster, ...stage } = await clustered()
    const fail = async () => {
      await cluster.primaries[1]?.kill()
      await waitFor(
        'its replica leads',
        async () => String(await cluster.replicas[1]?.command('info', 'replication')).includes('role:master'),
        { withinMs: 90_000 },
      )
    }
    return { ...stage, fail }
  },
  async 'Redis Cluster: a primary and its replica are down for 10 s'() {
    const { cluster, fleet, close } = await clustered()
    const [primary, replica] = [cluster.primaries[1], cluster.replicas[1]]
    const fail = async () => {
      await Promise.all([replica?.kill(), primary?.kill()])
      await pause(10_000)
      await Promise.all([primary?.start(), replica?.start()])
      await waitFor(
        'the cluster serves all slots',
        async () => String(await fleet.redis.command('cluster', 'info')).includes('cluster_state:ok'),
        { withinMs: 90_000 },
      )
    }
    return { fleet, fail, close }
  },
  async 'Redis Cluster: 500 slots move to another primary'() {
    const { cluster, ...stage } = await clustered()
    return { ...stage, fail: () => cluster.moveSlots(0, 1, 500) }
  },
  async 'Three processes behind HAProxy: one is frozen for 20 s, another is killed'() {
    const fleet = await startFleet({ env })
    for (let nth = 0; nth < 3; nth++) await fleet.start()
    const proxy = await startProxy(
      'HAProxy',
      fleet.processes.map(({ port }) => port),
    )
    fleet.front.toward(proxy.port)
    await fleet.putTenant('acme')
    const [frozen, killed] = fleet.processes
    const fail = async () => {
      frozen?.freeze()
      await killed?.kill()
      await pause(20_000)
      frozen?.thaw()
    }
    const close = async () => {
      await proxy.stop()
      await fleet.close()
    }
    return { fleet, fail, close }
  },
}

const env = { VERIFY_FUNCTIONS: 'false', LOG_LEVEL: 'warn' }

async function fleetOf(options: Parameters<typeof startFleet>[0]): Promise<Fleet> {
  const fleet = await startFleet({ env, ...options })
  await startProcesses(fleet)
  return fleet
}

async function startProcesses(fleet: Fleet, more: Record<string, string> = {}): Promise<void> {
  for (let nth = 0; nth < processCount; nth++) await fleet.start(more)
  await fleet.putTenant('acme')
}

async function clustered() {
  const fleet = await startFleet({ env, redis: await clusterSettings() })
  const cluster = await startCluster(fleet.redis)
  await startProcesses(fleet, { REDIS_URL: `redis+cluster://:${fleet.redis.password}@127.0.0.1:${fleet.redis.port}` })
  const close = async () => {
    await fleet.close()
    await cluster.stop()
  }
  return { fleet, cluster, close }
}

type Row = { condition: string; users: number; linked: number; startedAgain: number; longestPause: number }
const rows: Row[] = []

afterAll(() => {
  console.log('| condition | users | linked | started again | longest time without a link |\n|---|---|---|---|---|')
  for (const { condition, users, linked, startedAgain, longestPause } of rows)
    console.log(`| ${condition} | ${users} | ${linked} | ${startedAgain} | ${longestPause.toFixed(1)} s |`)
})

test.each(Object.entries(scenarios))(
  '%s: nothing is lost, sent twice or left behind',
  async (condition, open) => {
    const { fleet, fail, close } = await open()
    try {
      const ends: number[] = []
      let [isOver, sent, startedAgain] = [false, 0, 0]
      const user = async () => {
        if (sent - ends.length - startedAgain >= maxUnderWay) return
        sent++
        const { outcome } = await linkPatiently(fleet, { withinMs: 120_000 })
        if (outcome === 'completed') ends.push(performance.now())
        else startedAgain++
      }
      const users = atPace({ perSecond, goesOn: () => !isOver }, user)
      await waitFor('users link accounts', () => ends.length >= usersBefore, { withinMs: 120_000 })
      const before = ends.length
      await fail()
      const failedFor = ends.length
      await waitFor('users link accounts again', () => ends.length >= failedFor + usersAfter, { withinMs: 180_000 })
      isOver = true
      await users
      await untilQuiet(fleet, 180_000)

      const times = ends.slice(before - 1)
      const longestPause = Math.max(...times.map((at, nth) => at - (times[nth - 1] ?? at))) / 1_000
      rows.push({ condition, users: sent, linked: ends.length, startedAgain, longestPause })
      expect(await brokenPromises(fleet)).toEqual([])
    } finally {
      await close()
    }
  },
  600_000,
)
