// One private PostgreSQL per test run with a migrated database of each program to copy, and for each world a database of
// its own and a Redis of its own.
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { inject } from 'vitest'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../../src/kit/database/migrations.ts'
import { awaitRedis, openRedis } from '../../../src/kit/database/redis.ts'
import { startPostgres } from '../../../src/kit/embedded/postgres.ts'
import { type EmbeddedRedisOptions, startRedis } from '../../../src/kit/embedded/redis.ts'
import { migrations as onboarding } from '../../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { migrations as platform } from '../../../src/platform/shared/postgres/migrations.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
    folder: string
    templates: Templates
  }
}

const programs = { onboarding, platform }

/** The migrated database of each program, by the name of the program. */
type Templates = Record<keyof typeof programs, string>

/** TEST_DATABASE_URL names another server to test against; its user must be allowed to create databases. */
export default async function startStores(project: TestProject) {
  const folder = openFolder(tmpdir())
  project.provide('folder', folder)
  const { url, stop: stopPostgres } = await startServer(folder)
  project.provide('postgres', url)
  project.provide('templates', await createTemplates(url))
  return async () => {
    await stopPostgres()
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 })
  }
}

async function startServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), settings })
  return { url: postgres.url('postgres'), stop: postgres.stop }
}

const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // Databases are many and small: a worker would look at another one several times a second.
  autovacuum: 'off',
}

async function createTemplates(server: string): Promise<Templates> {
  const created = Object.entries(programs).map(async ([program, steps]) => {
    const { name, url } = await createDatabase(server)
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    await migrate(pool, steps)
    await pool.end() // a database is copied only while nobody is connected to it
    return [program, name]
  })
  return Object.fromEntries(await Promise.all(created))
}

/** A database as the program leaves it when it has started for the first time, or an empty one; it goes with the server. */
export async function createTestDatabase(of?: keyof Templates): Promise<string> {
  const { url } = await createDatabase(inject('postgres'), of && inject('templates')[of])
  return url
}

let databases = 0

async function createDatabase(server: string, template = 'template1'): Promise<{ name: string; url: string }> {
  const name = `test_${process.pid}_${Date.now().toString(36)}_${databases++}`
  const client = new pg.Client({ connectionString: server })
  await client.connect()
  await client.query(`create database ${name} template ${template}`)
  await client.end()
  const url = new URL(server)
  url.pathname = `/${name}`
  return { name, url: url.href }
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
