// One private PostgreSQL per test run, and for each test file a database of its own and a Redis of its own.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { awaitRedis, openRedis } from '../../../src/kit/database/redis.ts'
import { startPostgres } from '../../../src/kit/embedded/postgres.ts'
import { type EmbeddedRedisOptions, startRedis } from '../../../src/kit/embedded/redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
    folder: string
  }
}

/** TEST_DATABASE_URL names another server to test against; its user must be allowed to create databases. */
export default async function startStores(project: TestProject) {
  const folder = openFolder(tmpdir())
  project.provide('folder', folder)
  const stopPostgres = await startServer(project, folder)
  return async () => {
    await stopPostgres()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function startServer(project: TestProject, folder: string): Promise<() => Promise<void>> {
  if (process.env.TEST_DATABASE_URL) {
    project.provide('postgres', process.env.TEST_DATABASE_URL)
    return async () => {}
  }
  const settings = { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off', max_connections: '300' }
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), settings })
  project.provide('postgres', postgres.url('postgres'))
  return postgres.stop
}

let databases = 0

/** An empty database; it goes with the server. */
export async function createTestDatabase(): Promise<string> {
  const server = inject('postgres')
  const name = `test_${process.pid}_${Date.now().toString(36)}_${databases++}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return url.href
}

/** A Redis of the caller's own, with its folder removed when it stops. */
export async function startTestRedis(options: Partial<EmbeddedRedisOptions> = {}) {
  const folder = options.folder ?? temporaryFolder()
  const redis = await startRedis({ ...options, folder })
  return {
    ...redis,
    async stop() {
      await redis.stop()
      if (!options.folder) rmSync(folder, { recursive: true, force: true })
    },
  }
}

export type TestRedis = Awaited<ReturnType<typeof openTestRedis>>

/** The same with a client, for tests of what speaks to Redis itself. */
export async function openTestRedis() {
  const redis = await startTestRedis()
  const client = openRedis(redis.url)
  await awaitRedis(client, 20_000)
  return {
    client,
    pid: redis.process.child.pid as number,
    async stop() {
      client.disconnect()
      await redis.stop()
    },
  }
}

/** A folder of the caller's own, gone after the run. */
export const temporaryFolder = (): string => openFolder(inject('folder'))

/** Open to all: PostgreSQL runs as another account when the tests run as root. */
function openFolder(parent: string): string {
  const folder = mkdtempSync(join(parent, 'causeway-test-'))
  chmodSync(folder, 0o711)
  return folder
}
