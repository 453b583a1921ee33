import type pg from 'pg'
import type { Migration } from '../../../kit/database/migrations.ts'
import { openPool } from '../../../kit/database/pool.ts'
import { prepareDatabase } from '../../../kit/database/prepare-database.ts'

const migrations: readonly Migration[] = [
  {
    name: '001-records-files-settings',
    readableFrom: '0.3.0',
    sql: `
      create table records (
        model text not null,
        id text not null,
        payload jsonb not null,
        grant_id text,
        uid text,
        expires_at timestamptz,
        primary key (model, id)
      );
      create index records_by_grant on records (grant_id) where grant_id is not null;
      create index records_by_uid on records (uid) where uid is not null;
      create table files (
        id text primary key,
        account_id text not null,
        name text not null,
        type text not null,
        content text not null,
        modified_at timestamptz not null
      );
      create index files_by_account on files (account_id, name);
      create table settings (name text primary key, value jsonb not null);`,
  },
]

export async function openFileboxDatabase(url: string): Promise<pg.Pool> {
  const pool = openPool(url, { connections: 4 })
  await prepareDatabase(pool, migrations, { waitMs: 10_000 })
  return pool
}
