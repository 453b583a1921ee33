// Who may ask, and what all areas share. Ids sort by time ("C" collation: by their bytes), so lists are walked by id alone.
export const tenants = `
  create table tenants (
    id                  text collate "C" primary key,
    workspace           text not null unique,
    display_name        text not null,
    return_urls         text[] not null,
    signing_secret      text not null,
    next_signing_secret text,
    next_signs_from     timestamptz,
    created_at          timestamptz not null default now(),
    updated_at          timestamptz not null default now()
  );
  comment on column tenants.next_signing_secret is
    'Sealed like the one it follows. From next_signs_from on it signs; a sweep then moves it to its place.';
  create index tenants_next_signs_from on tenants (next_signs_from) where next_signs_from is not null;
  create index tenants_by_display_name on tenants ((lower(display_name) collate "C"));
  create index tenants_by_workspace on tenants ((lower(workspace) collate "C"));

  create table tenant_oauth_clients (
    tenant        text collate "C" not null references tenants (id),
    integration   text not null,
    client_id     text not null,
    client_secret text,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    primary key (tenant, integration)
  );

  create table api_keys (
    id         text collate "C" primary key,
    digest     text not null unique,
    name       text not null,
    tenant     text collate "C" references tenants (id),
    last_four  text not null,
    created_at timestamptz not null default now(),
    revoked_at timestamptz
  );

  create table idempotency_keys (
    id       text primary key,
    digest   text not null,
    answer   text,
    seed     text,
    fence    integer not null default 0,
    begun_at timestamptz not null default now()
  );
  comment on column idempotency_keys.seed is
    'Of what the request makes: ids and, with the signing key, tokens. Null once the answer is kept.';
  comment on column idempotency_keys.fence is 'Counts who took the request up; only the last one may say how it ended.';
  create index idempotency_keys_by_age on idempotency_keys (begun_at);

  create table encryption_keys (
    id    text collate "C" primary key,
    since timestamptz not null default now()
  );
  comment on table encryption_keys is
    'Ids of keys that may have sealed something in this database. A rotation that leaves nothing to another key ends them.';
`
