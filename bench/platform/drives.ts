// A private PostgreSQL with default settings, one workspace, one key, and any number of drives.
import { join } from 'node:path'
import type pg from 'pg'
import { opaqueCursors } from '../../src/kit/crypto/opaque-cursor.ts'
import { Secret } from '../../src/kit/crypto/secret.ts'
import { migrate } from '../../src/kit/database/migrations.ts'
import { openPool } from '../../src/kit/database/pool.ts'
import { startPostgres } from '../../src/kit/embedded/postgres.ts'
import { boundTo } from '../../src/platform/control-plane/domain/listing.ts'
import { postgresApiKeys } from '../../src/platform/identity/adapters/api-keys.ts'
import { postgresTenancy } from '../../src/platform/identity/adapters/tenancy.ts'
import { bootstrap } from '../../src/platform/identity/flows/bootstrap.ts'
import { migrations } from '../../src/platform/shared/postgres/migrations.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

export async function benchWorkspace() {
  const folder = temporaryFolder()
  const settings = { shared_buffers: '512MB', max_wal_size: '4GB' }
  const server = await startPostgres({ folder: join(folder, 'postgres'), settings })
  await server.createDatabase('bench')
  const url = server.url('bench')
  const pool = openPool(url, { connections: 2, statementTimeoutMs: 1_800_000 })
  await migrate(pool, migrations)
  const ports = { tenancy: postgresTenancy(pool), apiKeys: postgresApiKeys(pool) }
  const { apiKey } = await bootstrap(ports, {
    account: 'bench',
    workspace: 'acme',
    email: 'bench@acme.example',
    keyName: 'bench',
  })
  return {
    url,
    nameOf,
    someName: (drives: number) => nameOf(1 + Math.random() * drives),
    fill: (drives: number) => fill(pool, drives),
    middleCursor: (keys: string, drives: number) => middleCursor(pool, keys, drives),
    headers: {
      authorization: `Bearer ${apiKey.reveal()}`,
      'x-service-workspace': 'acme',
      'service-version': '2026-04-28',
    },
    async stop() {
      await pool.end()
      await server.stop()
    },
  }
}

const nameOf = (number: number) => `drive-${String(Math.floor(number)).padStart(7, '0')}`

const step = 50_000

/** Writes directly to the table, because only reads are measured. Builds the search index at the end. */
async function fill(pool: pg.Pool, drives: number): Promise<void> {
  await pool.query('drop index resources_by_gram')
  for (let from = 1; from <= drives; from += step) {
    await pool.query(insertDrives, [from, Math.min(from + step - 1, drives)])
  }
  await pool.query('create index resources_by_gram on resources using gin (search_grams(search))')
  await pool.query('vacuum analyze resources')
}

const insertDrives = `
  insert into resources (id, workspace, kind, name, display_name, labels, spec, status, events, search,
    created_at, updated_at, created_by, updated_by)
  select gen_random_uuid()::text, 'acme', 'drive', name, display, jsonb_build_object('team', team),
    '{"region": "local", "size": 5, "infrastructureId": "drive-x"}', 'DEPLOYED',
    jsonb_build_array(jsonb_build_object('type', 'deployment', 'status', 'DEPLOYED', 'message', 'The drive is ready.',
      'time', '2026-01-01T00:00:00.000Z', 'revision', '', 'canaryRevision', '')),
    lower(concat_ws(E'\\n', name, display, 'team', team)), at, at, 'bench', 'bench'
  from generate_series($1::int, $2::int) n,
    lateral (select 'drive-' || lpad(n::text, 7, '0') as name, 'Drive number ' || n as display,
      'team-' || (n % 97) as team, timestamptz '2026-01-01' + n * interval '1 second' as at) row`

/** The cursor after half of the pages. */
async function middleCursor(pool: pg.Pool, keys: string, drives: number): Promise<string> {
  const [id = '', key = ''] = keys.split(':')
  const keyring = { primary: id, keys: new Map([[id, new Secret(Buffer.from(key, 'hex'))]]) }
  const { rows } = await pool.query('select created_at, seq from resources where name = $1', [nameOf(drives / 2)])
  const position = { createdAt: rows[0].created_at.toISOString(), seq: rows[0].seq }
  const listing = { workspace: 'acme', kind: 'drive', parent: '', sort: 'createdAt:desc', q: '' } as const
  return opaqueCursors(keyring, 3_600).seal(position, boundTo(listing), new Date())
}
