// PostgreSQL and Redis: private ones in the data folder, or those of the environment.
import { join } from 'node:path'
import pg from 'pg'
import { awaitRedis, openRedis } from '../kit/database/redis.ts'
import { createDatabase, startPostgres } from '../kit/embedded/postgres.ts'
import { startRedis } from '../kit/embedded/redis.ts'
import { StartError } from '../kit/process/start-error.ts'
import type { Config } from './config.ts'
import type { Lifetime } from './lifetime.ts'

const databases = ['onboarding', 'platform', 'filebox'] as const

export type Stores = {
  databases: Record<(typeof databases)[number], string>
  /** Nothing where the demo does without. */
  redisUrl: string | undefined
  /** Tells one set of databases from another, over restarts. */
  identity: string
}

type StoreOptions = Pick<Config, 'folder' | 'databaseUrl' | 'redisUrl' | 'withoutRedis'>

export async function startStores(options: StoreOptions, lifetime: Lifetime): Promise<Stores> {
  const [addressOf, redisUrl] = await Promise.all([databaseServer(options, lifetime), redisServer(options, lifetime)])
  const entries = databases.map((name) => [name, addressOf(name)] as const)
  return {
    databases: Object.fromEntries(entries) as Stores['databases'],
    redisUrl,
    identity: options.databaseUrl ?? 'private',
  }
}

async function databaseServer({ folder, databaseUrl }: StoreOptions, lifetime: Lifetime) {
  if (databaseUrl) return givenServer(databaseUrl)
  const server = await lifetime.keep(
    () => startPostgres({ folder: join(folder, 'postgres') }),
    ({ stop }) => stop(),
  )
  for (const name of databases) await server.createDatabase(name)
  return (name: string) => server.url(name)
}

/** Three databases beside the one that the address names: `…/demo` gives `demo_onboarding` and so on. */
async function givenServer(databaseUrl: string) {
  const addressOf = (name: string) => {
    const address = new URL(databaseUrl)
    address.pathname = `${address.pathname}_${name}`
    return address.href
  }
  try {
    for (const name of databases) await createDatabase(databaseUrl)(new URL(addressOf(name)).pathname.slice(1))
  } catch (error) {
    const reason = error instanceof pg.DatabaseError ? error.message : 'no PostgreSQL answers there'
    throw new StartError(`DATABASE_URL: ${reason}`)
  }
  return addressOf
}

async function redisServer(options: StoreOptions, lifetime: Lifetime): Promise<string | undefined> {
  const { folder, redisUrl, withoutRedis } = options
  if (withoutRedis) return undefined
  if (redisUrl) return givenRedis(redisUrl)
  const server = await lifetime.keep(
    () => startRedis({ folder: join(folder, 'redis') }),
    ({ stop }) => stop(),
  )
  return server.url
}

/** Asked here, so that a wrong address is noticed before everything else has started. */
async function givenRedis(redisUrl: string): Promise<string> {
  const client = openRedis(redisUrl)
  try {
    await awaitRedis(client, 3_000)
  } finally {
    client.disconnect()
  }
  return redisUrl
}
