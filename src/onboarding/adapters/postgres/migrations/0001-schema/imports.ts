// A started row moves its grant to the link, which then has the result. Waiting rows are few, so they have a partial
// index.
export const imports = `
  create table imports (
    id           text collate "C" primary key,
    tenant       text collate "C" not null references tenants (id),
    name         text,
    created_at   timestamptz not null default now(),
    cancelled_at timestamptz
  );
  create index imports_by_tenant on imports (tenant, id);

  create table import_rows (
    import_id       text collate "C" not null references imports (id),
    key             text collate "C" not null,
    position        bigint generated always as identity,
    state           text not null,
    problem         text,
    errors          jsonb,
    tenant          text collate "C" not null,
    workspace       text not null,
    integration     text not null,
    end_user        jsonb not null,
    account_id      text,
    scopes          text[],
    config          jsonb not null,
    digest          text not null,
    token_digest    text not null,
    fingerprint     text not null,
    link_id         text collate "C" not null,
    connection_id   text collate "C" not null,
    connection_name text not null,
    sealed          text,
    created_at      timestamptz not null default now(),
    primary key (import_id, key)
  );
  comment on column import_rows.key is 'Chosen by the tenant: the same key in the same import is the same row.';
  comment on column import_rows.errors is 'Which members of a row are not valid: pointers and words, never a value.';
  comment on column import_rows.digest is 'Tells whether a row that is sent again is the same.';
  comment on column import_rows.token_digest is 'Tells whether two rows have the same token.';
  comment on column import_rows.link_id is 'Of the link that the row becomes when it is started.';
  comment on column import_rows.sealed is
    'Sealed for the escrow of that link, where it moves as it is. Null: it was started, cancelled, or never valid.';
  create unique index import_rows_in_order on import_rows (import_id, position);
  create index import_rows_by_end_user on import_rows (tenant, (end_user ->> 'id'));
  create index import_rows_waiting on import_rows (import_id, position) where state = 'waiting';
  create index import_rows_by_token on import_rows (tenant, integration, token_digest)
    where state in ('waiting', 'started');
`
