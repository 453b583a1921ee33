/**
 * All kinds share one table, so listing, search and cursors exist once.
 *
 * - `seq` breaks ties between resources created in the same millisecond, so every sort order is total.
 * - `sealed` holds the secret values as one envelope. The document has masks.
 * - `version` grows with updates by callers, not with writes by the service.
 * - A trigger maintains counts, once per statement to keep large deletes fast, and spread over sixteen rows per workspace
 *   and kind, because one row would serialize all creates of a workspace.
 * - An access token is fetched under a lease instead of a lock, so no connection waits for a third party. An unreadable
 *   refresh response is kept sealed, because it may hold the only valid refresh token.
 * - Search uses bigrams and trigrams. pg_trgm can't search for two characters and looks up every trigram of the query. Our
 *   index looks up only the rarest, by the index statistics. Duplicate grams are left to the index, which stores each once.
 * - The last two indexes find references by name and keep public addresses unique.
 */
export const resources = `
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
  create index resources_in_motion on resources (updated_at) where status in ('DEPLOYING', 'DEACTIVATING', 'DELETING');

  create table resource_counts (
    workspace text collate "C" not null references workspaces on delete cascade,
    kind text collate "C" not null,
    shard smallint not null,
    count bigint not null,
    primary key (workspace, kind, shard)
  );

  create function count_resources() returns trigger language plpgsql as $$
  begin
    insert into resource_counts
    select c.workspace, c.kind, pg_backend_pid() % 16, case tg_op when 'INSERT' then count(*) else -count(*) end
    -- A workspace that is being deleted takes its counts along.
    from changed c join workspaces w on w.name = c.workspace
    group by c.workspace, c.kind
    on conflict (workspace, kind, shard) do update set count = resource_counts.count + excluded.count;
    return null;
  end $$;

  create trigger count_added after insert on resources
  referencing new table as changed for each statement execute function count_resources();
  create trigger count_removed after delete on resources
  referencing old table as changed for each statement execute function count_resources();

  create table access_tokens (
    resource_id text primary key references resources on delete cascade,
    resource_version integer not null,
    envelope text,
    good_until timestamptz(3),
    leased_by text,
    leased_until timestamptz(3),
    unread_answer text
  );

  create function search_grams(search text) returns text[]
  language plpgsql immutable strict parallel safe as $$
  declare
    grams text[];
  begin
    for start in 1 .. length(search) - 1 loop
      -- One at a time: the server then adds in place, also to an array that is long already.
      grams := array_append(grams, substr(search, start, 2));
      grams := array_append(grams, substr(search, start, 3));
    end loop;
    return grams;
  end $$;
  create index resources_by_gram on resources using gin (search_grams(search));

  create function gram_frequencies() returns table (grams text[], shares real[])
  language sql stable security definer set search_path from current as $$
    select most_common_elems::text::text[], most_common_elem_freqs
    from pg_catalog.pg_stats
    where schemaname = current_schema() and tablename = 'resources_by_gram' and most_common_elems is not null
  $$;

  create index resources_by_reference on resources using gin (spec jsonb_path_ops)
    where kind in ('agent', 'function', 'model', 'sandbox');
  create unique index resources_by_address on resources ((spec ->> 'publicIp')) where kind = 'egressip';
`
