import { join } from 'node:path'
import { startPostgres } from '../kit/embedded/postgres.ts'
import { startRedis } from '../kit/embedded/redis.ts'
import type { Config } from './config.ts'
import { givenRedis, givenServer } from './given-stores.ts'
import type { Lifetime } from './lifetime.ts'

const databases = ['onboarding', 'platform', 'filebox'] as const

export type Stores = {
  databases: Record<(typeof databases)[number], string>
  /** Undefined if the demo runs without Redis. */
  redisUrl: string | undefined
  /** Identifies the set of databases across restarts. */
  identity: string
}

type StoreOptions = Pick<Config, 'folder' | 'databaseUrl' | 'redisUrl' | 'withoutRedis' | 'sharedStores'>

export async function startStores(options: StoreOptions, lifetime: Lifetime): Promise<Stores> {
  const [addressOf, redisUrl] = await Promise.all([databaseServer(options, lifetime), redisServer(options, lifetime)])
  const entries = databases.map((name) => [name, addressOf(name)] as const)
  return {
    databases: Object.fromEntries(entries) as Stores['databases'],
    redisUrl,
    identity: options.databaseUrl ?? 'private',
  }
}

async function databaseServer(options: StoreOptions, lifetime: Lifetime) {
  const { folder, databaseUrl } = options
  if (databaseUrl) return givenServer(databaseUrl, databases, options)
  const server = await lifetime.keep(
    () => startPostgres({ folder: join(folder, 'postgres') }),
    ({ stop }) => stop(),
  )
  for (const name of databases) await server.createDatabase(name)
  return (name: string) => server.url(name)
}

async function redisServer(options: StoreOptions, lifetime: Lifetime): Promise<string | undefined> {
  const { folder, redisUrl, withoutRedis } = options
  if (withoutRedis) return undefined
  if (redisUrl) return givenRedis(redisUrl, options)
  const server = await lifetime.keep(
    () => startRedis({ folder: join(folder, 'redis') }),
    ({ stop }) => stop(),
  )
  return server.url
}
