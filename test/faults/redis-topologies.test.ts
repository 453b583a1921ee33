// The same link on a Redis Cluster, and on a primary that Sentinels watch and replace.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { afterEach, expect, test } from 'vitest'
import { startChildServer } from '../../src/kit/embedded/child-server.ts'
import { freePort } from '../../src/kit/embedded/free-port.ts'
import { findRedisServer } from '../../src/kit/embedded/redis.ts'
import { linkPatiently } from '../support/http/patient-user.ts'
import { brokenPromises, untilQuiet } from '../support/oracles/checker.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { startKillableRedis } from '../support/processes/killable-stores.ts'
import { type Fleet, startFleet } from '../support/processes/onboarding-process.ts'
import { temporaryFolder } from '../support/processes/stores.ts'

const closing: Array<() => unknown> = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

test('a Redis Cluster carries links', async () => {
  const settings = {
    'cluster-enabled': 'yes',
    'cluster-port': String(await freePort()),
    'cluster-announce-ip': '127.0.0.1',
  }
  const fleet = await fleetOn({ redis: settings })
  const { port, password, command } = fleet.redis
  await command('cluster', 'addslotsrange', '0', '16383')
  await waitFor('the cluster is formed', async () =>
    String(await command('cluster', 'info')).includes('cluster_state:ok'),
  )

  await fleet.start({ REDIS_URL: `redis+cluster://:${password}@127.0.0.1:${port}` })
  await fleet.putTenant('acme')

  await expectLinks(fleet, 1)
  expect(await brokenPromises(fleet)).toEqual([])
}, 120_000)

test('Sentinels lead to the primary, and to the next one when it is killed', async () => {
  const fleet = await fleetOn({})
  const { port, password } = fleet.redis
  const replica = await startKillableRedis({ replicaof: `127.0.0.1 ${port}`, masterauth: password }, password)
  closing.push(replica.stop)
  await waitFor('the replica is in step', async () =>
    String(await replica.command('info', 'replication')).includes('master_link_status:up'),
  )
  const sentinel = await startSentinel(port, password)
  await waitFor('the sentinel knows the replica', async () =>
    String(await sentinel.command('sentinel', 'replicas', 'main')).includes(String(replica.port)),
  )
  await fleet.start({ REDIS_URL: `redis+sentinel://:${password}@127.0.0.1:${sentinel.port}/main` })
  await fleet.putTenant('acme')
  await expectLinks(fleet, 1)

  await fleet.redis.kill()
  // A sentinel that finds its own clock jumping, as on a machine that stood still, decides nothing for half a minute.
  await waitFor(
    'the replica leads',
    async () => String(await replica.command('info', 'replication')).includes('role:master'),
    { withinMs: 90_000 },
  )

  await expectLinks(fleet, 2)
}, 240_000)

async function fleetOn(options: Parameters<typeof startFleet>[0]): Promise<Fleet> {
  const fleet = await startFleet(options)
  closing.push(fleet.close)
  return fleet
}

async function expectLinks(fleet: Fleet, count: number) {
  await linkPatiently(fleet, { withinMs: 60_000 })
  await untilQuiet(fleet)
  const { rows } = await fleet.sql.query(`select id from links where state = 'linked'`)
  expect(rows).toHaveLength(count)
}

/** One is enough to decide here; it has no password of its own. */
async function startSentinel(primary: number, password: string) {
  const port = await freePort()
  const file = join(temporaryFolder(), 'sentinel.conf')
  const lines = [
    `port ${port}`,
    `sentinel monitor main 127.0.0.1 ${primary} 1`,
    `sentinel auth-pass main ${password}`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const server = startChildServer(findRedisServer() ?? 'redis-server', [file, '--sentinel'])
  closing.push(server.stop)
  const client = new Redis({ port, host: '127.0.0.1', enableReadyCheck: false, maxRetriesPerRequest: 50 })
  client.on('error', () => {}) // until it listens
  closing.push(() => client.disconnect())
  return { port, command: (name: string, ...args: string[]) => client.call(name, ...args) }
}
