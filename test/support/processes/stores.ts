// What the stores of the run have for each world: a database of its own and a logical database of Redis of its own.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { inject } from 'vitest'
import { openRedis } from '../../../src/kit/database/redis.ts'
import { awaitRedis } from '../../../src/kit/database/redis-checks.ts'
import { type EmbeddedRedisOptions, startRedis } from '../../../src/kit/embedded/redis.ts'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import type { Templates } from './stores-of-run.ts'

/** A database as the program leaves it when it has started for the first time, or an empty one; it goes with the server. */
export async function createTestDatabase(of?: keyof Templates): Promise<string> {
  const server = inject('postgres')
  administrator ??= openAdministrator(server)
  const { url } = await addDatabase(administrator, server, of && inject('templates')[of])
  return url
}

/** Kept for as long as the worker lives: to connect takes the server longer than many a statement. */
let administrator: pg.Pool | undefined

function openAdministrator(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0 })
  pool.on('error', ignoreError('the server ends before its last client'))
  return pool
}

let databases = 0

/** On a connection of its own. */
export async function createDatabase(server: string): Promise<{ name: string; url: string }> {
  const pool = openAdministrator(server)
  return addDatabase(pool, server).finally(() => pool.end())
}

async function addDatabase(pool: pg.Pool, server: string, template = 'template1') {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${databases++}`
  // By files, which is half the work of copying through the log.
  await pool.query(`create database ${name} template ${template} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href }
}

/** The address of a logical database of the common Redis that nobody else uses; it goes with the server. */
export async function createRedisDatabase(): Promise<string> {
  const server = inject('redis')
  const client = new Redis(server)
  const number = await client.incr('databases').finally(() => client.disconnect())
  return `${server}/${number}`
}

export type TestRedis = Awaited<ReturnType<typeof openTestRedis>>

/** The same with a client, for tests of what speaks to Redis itself. */
export async function openTestRedis() {
  const client = openRedis(await createRedisDatabase())
  await awaitRedis(client, 20_000)
  return { client, stop: () => client.disconnect() }
}

/** A server of the caller's own, for tests that freeze it or look at its folder, which is removed when it stops. */
export async function startTestRedis(options: Partial<EmbeddedRedisOptions> = {}) {
  const folder = options.folder ?? temporaryFolder()
  const redis = await startRedis({ ...options, folder })
  return {
    ...redis,
    signal: (name: NodeJS.Signals) => process.kill(redis.process.child.pid as number, name),
    async stop() {
      await redis.stop()
      if (!options.folder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

/** A folder of the caller's own, gone after the run. */
export const temporaryFolder = (): string => openFolder(inject('folder'))

/** Open to all: PostgreSQL runs as another account when the tests run as root. */
export function openFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'causeway-test-'))
  chmodSync(folder, 0o711)
  return folder
}
