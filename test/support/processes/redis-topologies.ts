// Redis with Sentinels, and as a Cluster.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import { startChildServer } from '../../../src/kit/embedded/child-server.ts'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { findRedisServer } from '../../../src/kit/embedded/redis.ts'
import { waitFor } from '../oracles/wait-for.ts'
import { startKillableRedis } from './killable-stores.ts'
import { temporaryFolder } from './stores.ts'

type KillableRedis = Awaited<ReturnType<typeof startKillableRedis>>

/** A quorum of one, by default without a password. */
export async function startSentinel(primary: number, password: string, settings: Record<string, string> = {}) {
  const port = await freePort()
  const file = join(temporaryFolder(), 'sentinel.conf')
  const lines = [
    `port ${port}`,
    `sentinel monitor main 127.0.0.1 ${primary} 1`,
    `sentinel auth-pass main ${password}`,
    'sentinel down-after-milliseconds main 1000',
    'sentinel failover-timeout main 5000',
    ...Object.entries(settings).map(([name, value]) => `${name} ${value}`),
  ]
  writeFileSync(file, `${lines.join('\n')}\n`)
  const server = startChildServer(findRedisServer() ?? 'redis-server', [file, '--sentinel'])
  const access = {
    ...(settings.requirepass && { password: settings.requirepass }),
    enableReadyCheck: false,
    maxRetriesPerRequest: 50,
  }
  const client = new Redis({ port, host: '127.0.0.1', ...access })
  client.on('error', () => {}) // until it listens
  return {
    port,
    command: (name: string, ...args: string[]) => client.call(name, ...args),
    async stop() {
      client.disconnect()
      await server.stop()
    },
  }
}

export async function clusterSettings(): Promise<Record<string, string>> {
  return {
    'cluster-enabled': 'yes',
    'cluster-port': String(await freePort()),
    'cluster-announce-ip': '127.0.0.1',
    'cluster-node-timeout': '2000',
  }
}

/** Three primaries, the first of which is given, and a replica of each. */
export async function startCluster(first: KillableRedis) {
  const { password } = first
  const node = async () => startKillableRedis({ ...(await clusterSettings()), masterauth: password }, password)
  const nodes = [first, ...(await Promise.all(Array.from({ length: 5 }, node)))]
  await first.command('config', 'set', 'masterauth', password)
  const [primaries, replicas] = [nodes.slice(0, 3), nodes.slice(3)]
  const info = async (of: KillableRedis) => String(await of.command('cluster', 'info'))
  for (const [at, each] of primaries.entries())
    await each.command('cluster', 'addslotsrange', String(slotsFrom(at)), String(slotsFrom(at + 1) - 1))
  for (const each of nodes.slice(1)) {
    const busPort = String(((await each.command('config', 'get', 'cluster-port')) as string[])[1])
    await first.command('cluster', 'meet', '127.0.0.1', String(each.port), busPort)
  }
  await waitFor('all nodes know each other', async () =>
    (await Promise.all(nodes.map(info))).every((text) => text.includes('cluster_known_nodes:6')),
  )
  const ids = await Promise.all(nodes.map((each) => each.command('cluster', 'myid')))
  for (const [at, each] of replicas.entries()) await each.command('cluster', 'replicate', String(ids[at]))
  await waitFor('the cluster is formed', async () =>
    (await Promise.all(nodes.map(info))).every((text) => text.includes('cluster_state:ok')),
  )
  const roleOf = async (each: KillableRedis) => String(await each.command('info', 'replication'))
  await waitFor('the replicas are in step', async () =>
    (await Promise.all(replicas.map(roleOf))).every((text) => text.includes('master_link_status:up')),
  )
  return {
    primaries,
    replicas,
    /** Moves slots of one primary to another with their keys, by default its first. */
    async moveSlots(from: number, to: number, count: number, first = slotsFrom(from)) {
      const [source, target] = [primaries[from], primaries[to]]
      if (!source || !target) throw new Error('the cluster has three primaries')
      for (let slot = first; slot < first + count; slot++) {
        await target.command('cluster', 'setslot', String(slot), 'importing', String(ids[from]))
        await source.command('cluster', 'setslot', String(slot), 'migrating', String(ids[to]))
        for (;;) {
          const keys = (await source.command('cluster', 'getkeysinslot', String(slot), '100')) as string[]
          if (keys.length === 0) break
          const auth = ['auth', password, 'keys', ...keys]
          await source.command('migrate', '127.0.0.1', String(target.port), '', '0', '5000', ...auth)
        }
        for (const each of [target, source])
          await each.command('cluster', 'setslot', String(slot), 'node', String(ids[to]))
      }
    },
    stop: () => Promise.all(nodes.slice(1).map((each) => each.stop())),
  }
}

const slots = 16_384

const slotsFrom = (primary: number): number => Math.floor((slots / 3) * primary)
