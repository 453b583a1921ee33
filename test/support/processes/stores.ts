// The stores of a world: its own database and its own logical database of Redis.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { Redis } from 'ioredis'
import pg from 'pg'
import { inject } from 'vitest'
import { awaitRedis, openRedis } from '../../../src/kit/database/redis.ts'
import { type EmbeddedRedisOptions, startRedis } from '../../../src/kit/embedded/redis.ts'
import { ignoreError } from '../../../src/kit/process/ignore-error.ts'
import type { Templates } from './stores-of-run.ts'

/** A copy of a program's migrated database, or an empty one. It is removed with the server. */
export async function createTestDatabase(of?: keyof Templates): Promise<string> {
  const server = inject('postgres')
  administrator ??= openAdministrator(server)
  const { url } = await addDatabase(administrator, server, of && inject('templates')[of])
  return url
}

/** One connection per worker: connecting takes longer than many statements. */
let administrator: pg.Pool | undefined

function openAdministrator(server: string): pg.Pool {
  const pool = new pg.Pool({ connectionString: server, max: 1, idleTimeoutMillis: 0 })
  pool.on('error', ignoreError('the server ends before its last client'))
  return pool
}

let databases = 0

/** On a separate connection. */
export async function createDatabase(server: string): Promise<{ name: string; url: string }> {
  const pool = openAdministrator(server)
  return addDatabase(pool, server).finally(() => pool.end())
}

async function addDatabase(pool: pg.Pool, server: string, template = 'template1') {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${databases++}`
  // Copying files takes half the work of copying through the WAL.
  await pool.query(`create database ${name} template ${template} strategy file_copy`)
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href }
}

/** The address of an unused logical database of the shared Redis. It is removed with the server. */
export async function createRedisDatabase(): Promise<string> {
  const server = inject('redis')
  const client = new Redis(server)
  const number = await client.incr('databases').finally(() => client.disconnect())
  return `${server}/${number}`
}

export type TestRedis = Awaited<ReturnType<typeof openTestRedis>>

/** With a client, for tests of code that talks to Redis directly. */
export async function openTestRedis() {
  const client = openRedis(await createRedisDatabase())
  await awaitRedis(client, 20_000)
  return { client, stop: () => client.disconnect() }
}

/** A separate server, for tests that freeze it or read its folder. The folder is removed when the server stops. */
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

/** A separate folder, removed after the run. */
export const temporaryFolder = (): string => openFolder(inject('folder'))

/** Readable for all users, because PostgreSQL runs as another user when the tests run as root. */
export function openFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'causeway-test-'))
  chmodSync(folder, 0o711)
  return folder
}
