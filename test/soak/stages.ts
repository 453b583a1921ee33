// What the links run on, and how it fails. One run cannot have all of it at once.
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { ignoreError } from '../../src/kit/process/ignore-error.ts'
import { brokenPromises } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillablePostgres, startKillableRedis, watching } from '../support/processes/killable-stores.ts'
import { type Fleet, type OnboardingProcess, startFleet } from '../support/processes/onboarding-process.ts'
import { startPgBouncer } from '../support/processes/pgbouncer.ts'
import { clusterSettings, startCluster, startSentinel } from '../support/processes/redis-topologies.ts'
import { startReplicatedPostgres } from '../support/processes/replicated-postgres.ts'
import { acknowledgedLinksLost } from './acknowledged.ts'
import type { Faults } from './nemesis.ts'
import { during, leaseSeconds, programFaults } from './program-faults.ts'

export type Stage = {
  fleet: Fleet
  faults: Faults
  /** A process that lives for the whole stage, so that its memory can be measured. */
  spared?: OnboardingProcess
  /** Called when no work is under way. */
  brokenPromises(toldLinked: string[]): Promise<string[]>
  close(): Promise<unknown>
}

type Open = (chance: () => number) => Promise<Stage>

const env = { LEASE_SECONDS: String(leaseSeconds), LOG_LEVEL: 'warn' }

/** With their share of the time. */
export const stages: Record<string, { share: number; open: Open }> = {
  'a synchronous standby, PgBouncer and Sentinel': { share: 0.5, open: withStandby },
  'one PostgreSQL and a Redis Cluster': { share: 0.35, open: withCluster },
  'an asynchronous standby': { share: 0.15, open: withLateStandby },
}

async function withStandby(chance: () => number): Promise<Stage> {
  const postgres = await startReplicatedPostgres()
  const pooling = { listen_port: await freePort(), default_pool_size: 60 }
  const startPooler = () => startPgBouncer('session', pooling, postgres.url)
  let pooler = await startPooler()
  const stop = async () => {
    await pooler.stop()
    await postgres.stop()
  }
  const fleet = await startFleet({ env, postgres: { url: pooler.through(postgres.url), stop } })
  const { password } = fleet.redis
  const replica = await startKillableRedis(
    { replicaof: `127.0.0.1 ${fleet.redis.port}`, masterauth: password },
    password,
  )
  await fleet.redis.command('config', 'set', 'masterauth', password)
  const sentinel = await startSentinel(fleet.redis.port, password)
  await waitFor('the sentinel knows the replica', async () =>
    String(await sentinel.command('sentinel', 'replicas', 'main')).includes(String(replica.port)),
  )
  fleet.env.REDIS_URL = `redis+sentinel://:${password}@127.0.0.1:${sentinel.port}/main`
  const [spared] = await startProcesses(fleet)
  const pair = redisPair([fleet.redis, replica], password)
  const faults: Faults = {
    ...programFaults(fleet, chance, spared),
    'the line to PostgreSQL is reset': () => during(chance, fleet.databaseLine.reset, fleet.databaseLine.pass),
    async 'PostgreSQL is killed, and the synchronous standby is promoted'() {
      await postgres.kill()
      await postgres.promote()
      await postgres.rejoin()
    },
    async 'the synchronous standby is silent'() {
      await postgres.freeze()
      await pause(5_000 + chance() * 15_000)
      postgres.thaw()
    },
    async 'PgBouncer is killed'() {
      await pooler.kill()
      pooler = await startPooler()
    },
    'Redis is killed, and Sentinel promotes its replica': pair.failOver,
    async 'Redis freezes, and Sentinel may promote its replica'() {
      const primary = await pair.primary()
      await during(chance, primary.freeze, primary.thaw)
      await pair.untilWhole()
    },
  }
  const close = async () => {
    await fleet.close()
    await Promise.all([replica.stop(), sentinel.stop()])
  }
  return { fleet, faults, ...(spared && { spared }), brokenPromises: () => brokenPromises(fleet), close }
}

type KillableRedis = Awaited<ReturnType<typeof startKillableRedis>>

/** Two servers that exchange roles. */
function redisPair(servers: [KillableRedis, KillableRedis], masterauth: string) {
  const replication = async (of: KillableRedis) =>
    String(await of.command('info', 'replication').catch(ignoreError('it is down')))
  const only = (state: string) =>
    waitFor(
      `one server has ${state}`,
      async () => {
        const states = await Promise.all(servers.map(replication))
        const found = servers.filter((_, at) => states[at]?.includes(state))
        return found.length === 1 ? found[0] : undefined
      },
      { withinMs: 240_000 },
    )
  const primary = () => only('role:master')
  const untilWhole = () => only('state=online')
  return {
    primary,
    untilWhole,
    async failOver() {
      const old = await primary()
      await old.kill()
      await primary()
      await old.start({ masterauth })
      await untilWhole()
    },
  }
}

async function withCluster(chance: () => number): Promise<Stage> {
  const postgres = await startKillablePostgres()
  const fleet = await startFleet({ env, postgres, redis: await clusterSettings() })
  const cluster = await startCluster(fleet.redis)
  fleet.env.REDIS_URL = `redis+cluster://:${fleet.redis.password}@127.0.0.1:${fleet.redis.port}`
  await startProcesses(fleet)
  await fillAudit(fleet)
  const { databaseLine } = fleet
  let owner = 0
  const faults: Faults = {
    ...programFaults(fleet, chance),
    'the line to PostgreSQL is reset': () => during(chance, databaseLine.reset, databaseLine.pass),
    async 'PostgreSQL is killed'() {
      await postgres.kill()
      await postgres.start()
    },
    'PostgreSQL freezes': () => during(chance, () => postgres.freeze(), postgres.thaw),
    async 'the disk of PostgreSQL is full'() {
      await limitFiles(maxBytes)
      await pause(3_000 + chance() * 7_000)
      await limitFiles('unlimited')
    },
    'the slots of a Redis server move': async () => {
      const to = 1 - owner
      await cluster.moveSlots(owner, to, 100, 0)
      owner = to
    },
    async 'a primary of the Redis Cluster is killed'() {
      const killed = cluster.primaries[2]
      const successor = cluster.replicas[2]
      if (!killed || !successor) throw new Error('the cluster has three primaries')
      await failOver(killed, successor, fleet.redis.password)
      await failOver(successor, killed, fleet.redis.password)
    },
  }
  /** Only processes of the server that start from now on have the limit. */
  async function limitFiles(bytes: number | 'unlimited') {
    await postgres.limitFiles(bytes)
    await fleet.sql
      .query(
        `select pg_terminate_backend(pid) from pg_stat_activity
         where backend_type = 'client backend' and pid <> pg_backend_pid() and application_name <> $1`,
        [watching],
      )
      .catch(ignoreError('the processes notice it anyway'))
    databaseLine.cutOpen()
  }
  const close = async () => {
    await fleet.close()
    await cluster.stop()
  }
  return { fleet, faults, brokenPromises: () => brokenPromises(fleet), close }
}

const maxBytes = 20 * 1024 * 1024 // more than a file of the write-ahead log, which must stay writable

/** Above the limit, so that a full disk is felt at once. */
const fillAudit = ({ sql }: Fleet) =>
  sql.query(`
    insert into audit (action, actor_kind, reason)
    select 'filler', 'operator', repeat('x', 60) from generate_series(1, 200000)`)

/** The killed server follows the other. */
async function failOver(killed: KillableRedis, successor: KillableRedis, masterauth: string) {
  const role = async (of: KillableRedis) =>
    String(await of.command('info', 'replication').catch(ignoreError('it is down')))
  await killed.kill()
  await waitFor('its replica leads', async () => (await role(successor)).includes('role:master'), {
    withinMs: 120_000,
  })
  await killed.start({ masterauth })
  await waitFor('it follows', async () => (await role(killed)).includes('master_link_status:up'), {
    withinMs: 120_000,
  })
}

/** Loses the last commits, as `docs/guarantees.md` says: only what it promises for that is checked. */
async function withLateStandby(chance: () => number): Promise<Stage> {
  const postgres = await startReplicatedPostgres({ isSynchronous: false })
  const fleet = await startFleet({ env, postgres })
  await startProcesses(fleet)
  const faults: Faults = {
    ...programFaults(fleet, chance),
    async 'PostgreSQL is killed, and a standby one second behind is promoted'() {
      postgres.replication.delay(1_000)
      await pause(3_000)
      await postgres.kill()
      await postgres.promote()
      await postgres.rejoin()
    },
  }
  return { fleet, faults, brokenPromises: (told) => acknowledgedLinksLost(fleet, told), close: () => fleet.close() }
}

async function startProcesses(fleet: Fleet): Promise<OnboardingProcess[]> {
  await fleet.start()
  await fleet.start()
  return fleet.processes
}
