import { awaitDatabase, type Database, type OpenDatabase, openDatabase } from '../../../kit/database/database.ts'
import { type Migration, migrate } from '../../../kit/database/migrations.ts'

export type FileboxSchema = {
  records: {
    model: string
    id: string
    payload: string
    grant_id: string | null
    uid: string | null
    expires_at: Date | null
  }
  files: { id: string; account_id: string; name: string; type: string; content: string; modified_at: Date }
  settings: { name: string; value: string }
}

export type FileboxDatabase = Database<FileboxSchema>

const migrations: readonly Migration[] = [
  {
    name: '001-records-files-settings',
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

export async function openFileboxDatabase(url: string): Promise<OpenDatabase<FileboxSchema>> {
  const opened = openDatabase<FileboxSchema>(url, { connections: 4 })
  await awaitDatabase(opened.pool, 10_000)
  await migrate(opened.pool, migrations)
  return opened
}
