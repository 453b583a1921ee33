import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * All kinds share one table, so listing, search and cursors are written and measured once.
 *
 * - `seq` breaks ties between resources created in the same millisecond; with it every sort order is total.
 * - `sealed` holds the secret values of the document as one envelope; the document has masks in their places.
 * - `version` grows with every update by a caller, and not when the service writes on its own.
 * - Counts are kept by a trigger, whatever way a row comes or goes, and spread over sixteen rows per workspace
 *   and kind by connection: one row would make every create of a workspace wait for the one before it.
 * - An access token is fetched under a lease, not under a lock, so no connection is held while a third party thinks.
 */
export const resources: Migration = {
  name: '0002-resources',
  sql: `
    create extension if not exists pg_trgm;

    create table resources (
      id text primary key,
      seq bigint generated always as identity,
      workspace text collate "C" not null references workspaces on delete cascade,
      kind text collate "C" not null,
      parent text collate "C" not null default '',
      name text collate "C" not null,
      display_name text not null,
      labels jsonb not null,
      spec jsonb not null,
      state jsonb not null default '{}',
      sealed text,
      status text,
      events jsonb not null default '[]',
      search text not null,
      version integer not null default 1,
      created_at timestamptz(3) not null,
      updated_at timestamptz(3) not null,
      created_by text not null,
      updated_by text not null,
      unique (workspace, kind, parent, name)
    );

    create index resources_by_creation on resources (workspace, kind, parent, created_at, seq);
    create index resources_by_search on resources using gin (search gin_trgm_ops);
    create index resources_in_motion on resources (updated_at) where status in ('DEPLOYING', 'DEACTIVATING', 'DELETING');

    create table resource_counts (
      workspace text collate "C" not null references workspaces on delete cascade,
      kind text collate "C" not null,
      shard smallint not null,
      count bigint not null,
      primary key (workspace, kind, shard)
    );

    create function count_resource() returns trigger language plpgsql as $$
    declare
      changed resources := case tg_op when 'INSERT' then new else old end;
      delta integer := case tg_op when 'INSERT' then 1 else -1 end;
    begin
      -- A workspace that is being deleted takes its counts along.
      if tg_op = 'DELETE' and not exists (select from workspaces where name = changed.workspace) then
        return null;
      end if;
      insert into resource_counts values (changed.workspace, changed.kind, pg_backend_pid() % 16, delta)
      on conflict (workspace, kind, shard) do update set count = resource_counts.count + delta;
      return null;
    end $$;

    create trigger count_resource after insert or delete on resources
    for each row execute function count_resource();

    create table access_tokens (
      resource_id text primary key references resources on delete cascade,
      resource_version integer not null,
      envelope text,
      good_until timestamptz(3),
      leased_by text,
      leased_until timestamptz(3)
    );`,
}
