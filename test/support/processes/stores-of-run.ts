// The stores of a test run: a private PostgreSQL with a migrated template database per program, and a private Redis.
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

/** Migrated template database by program. */
export type Templates = Record<keyof typeof programs, string>

/** TEST_DATABASE_URL names another server to test on; its user must be allowed to create databases. */
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
    // In the background: the folder holds hundreds of databases.
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

/** Lowers the SCRAM iterations, which cost CPU at both ends of each of the many connections. */
async function easePassword(url: string): Promise<void> {
  const { username, password } = new URL(url)
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  // PostgreSQL 15 does not have this setting.
  await client.query(`select set_config(name, '1', false) from pg_settings where name = 'scram_iterations'`)
  await client.query(`alter role ${pg.escapeIdentifier(username)} password ${pg.escapeLiteral(password)}`)
  await client.end()
}

const settings = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  max_connections: '300',
  // No replication, and no statement is long enough for JIT to pay off.
  wal_level: 'minimal',
  max_wal_senders: '0',
  jit: 'off',
  // With many small databases, autovacuum would start a worker several times a second.
  autovacuum: 'off',
  // Copying a database scans all shared buffers.
  shared_buffers: '32MB',
}

// Each world takes the next number, and no number is used twice.
const redisSettings = { appendonly: 'no', databases: '10000' }

async function createTemplates(server: string): Promise<Templates> {
  const created = Object.entries(programs).map(async ([program, steps]) => {
    const { name, url } = await createDatabase(server)
    const pool = new pg.Pool({ connectionString: url, max: 1 })
    await migrate(pool, steps)
    await pool.end() // a template can be copied only while no client is connected
    return [program, name]
  })
  return Object.fromEntries(await Promise.all(created))
}
