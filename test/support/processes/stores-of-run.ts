// What one test run starts: a private PostgreSQL with a migrated database of each program to copy, and a private Redis.
import { spawn } from 'node:child_process'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { migrate } from '../../../src/kit/database/migrations.ts'
import { startPostgres } from '../../../src/kit/embedded/postgres.ts'
import { startRedis } from '../../../src/kit/embedded/redis.ts'
import { migrations as onboarding } from '../../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { migrations as platform } from '../../../src/platform/shared/postgres/migrations.ts'
import { createDatabase, openFolder } from './stores.ts'

declare module 'vitest' {
  interface ProvidedContext {
    postgres: string
    redis: string
    folder: string
    templates: Templates
  }
}

const programs = { onboarding, platform }

/** The migrated database of each program, by the name of the program. */
export type Templates = Record<keyof typeof programs, string>

/** TEST_DATABASE_URL names another server to test against; its user must be allowed to create databases. */
export async function startStores(project: TestProject): Promise<() => Promise<void>> {
  const folder = openFolder(tmpdir())
  project.provide('folder', folder)
  const [postgres, redis] = await Promise.all([
    startServer(folder),
    startRedis({ folder: join(folder, 'redis'), settings: redisSettings }),
  ])
  project.provide('postgres', postgres.url)
  project.provide('redis', redis.url)
  project.provide('templates', await createTemplates(postgres.url))
  return async () => {
    await Promise.all([postgres.stop(), redis.stop()])
    // Hundreds of databases of hundreds of files: nobody has to wait until they are gone.
    spawn('rm', ['-rf', folder], { detached: true, stdio: 'ignore' }).unref()
  }
}

async function startServer(folder: string): Promise<{ url: string; stop(): Promise<void> }> {
  const given = process.env.TEST_DATABASE_URL
  if (given) return { url: given, stop: async () => {} }
  const postgres = await startPostgres({ folder: join(folder, 'postgres'), settings })
  const url = postgres.url('postgres')
  await easePassword(url)
  return { url, stop: postgres.stop }
}

/** Its hash is made hard to guess by thousands of rounds, at both ends of each of the many connections of a run. */
async function easePassword(url: string): Promise<void> {
  const { username, password } = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // PostgreSQL 15 has no such setting.
  await client.query(`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`)
  await client.query(`alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(password)}`)
  await client.end()
}

const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // Nothing is copied to another server, and no statement runs for so long that to compile it would pay.
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
  // Databases are many and small: a worker would look at another one several times a second.
  autovacuum: 'off',
  // Every buffer is looked at when a database is copied, and no world needs many.
  shared_buffers: '32MB',
}

// More than a run has worlds: each takes the next number, none is used twice.
const redisSettings = { appendonly: 'no', databases: '10000' }

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
