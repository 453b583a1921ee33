// A private PostgreSQL with a year of a large installation.
import { join } from 'node:path'
import { migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { fillLedger } from '../support/ledger.ts'

export async function largeLedger(folder: string, connections: number) {
  const settings = {
    shared_buffers: '512MB',
    max_wal_size: '8GB',
    maintenance_work_mem: '512MB',
    synchronous_commit: 'off',
  }
  const server = await startPostgres({ folder: join(folder, 'postgres'), settings })
  await server.createDatabase('bench')
  const url = server.url('bench')
  const pool = openPool(url, { connections: 1, statementTimeoutMs: 1_800_000 })
  await migrate(pool, migrations)
  const links = await fillLedger(pool, connections)
  return { url, pool, links, stop: () => pool.end().then(server.stop) }
}
