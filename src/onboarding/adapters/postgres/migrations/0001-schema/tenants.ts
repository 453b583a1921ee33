// IDs sort by time ("C" collation: by bytes), so lists are paged by ID.
export const tenants = `
  create table tenants (
    id                  text collate "C" primary key,
    workspace           text not null,
    display_name        text not null,
    return_urls         text[] not null,
    branding            jsonb not null default '{}',
    logos               jsonb not null default '{}',
    max_connections_per_user integer not null default 0,
    status              text not null default 'active',
    signing_secret      text,
    next_signing_secret text,
    next_active_from    timestamptz,
    created_at          timestamptz not null default now(),
    updated_at          timestamptz not null default now()
  );
  comment on column tenants.id is 'Begins with test_ in test mode, and then the workspace is called the same.';
  comment on column tenants.status is 'active, suspended, deleting (tenant_deletions says how far) or deleted, for ever.';
  comment on column tenants.max_connections_per_user is 'To one integration; 0: any number.';
  comment on column tenants.signing_secret is 'Null once the tenant is deleted.';
  create unique index tenants_workspace_key on tenants (workspace) where status <> 'deleted';
  comment on column tenants.next_signing_secret is
    'Sealed like the one it follows. From next_active_from on it signs; a sweep then moves it to its place.';
  create index tenants_next_active_from on tenants (next_active_from) where next_active_from is not null;
  create index tenants_by_display_name on tenants ((lower(display_name) collate "C"));
  create index tenants_by_workspace on tenants ((lower(workspace) collate "C"));

  create table tenant_logos (
    tenant       text collate "C" not null references tenants (id),
    color_scheme text not null check (color_scheme in ('light', 'dark')),
    digest       text collate "C" not null,
    png          bytea not null check (octet_length(png) <= 24576),
    created_at   timestamptz not null default now(),
    primary key (tenant, color_scheme)
  );
  comment on table tenant_logos is 'Pictures as they are served. tenants.logos says which there are, for pages to read.';
  comment on column tenant_logos.digest is 'SHA-256 of the picture, in hex, and its address. Tenants may have the same.';
  create index tenant_logos_by_digest on tenant_logos (digest);

  create table tenant_deletions (
    tenant     text collate "C" primary key references tenants (id),
    step       text not null,
    actor      jsonb not null,
    fence      integer not null default 0,
    claims     integer not null default 1,
    due_at     timestamptz,
    step_since timestamptz not null default now(),
    created_at timestamptz not null default now(),
    updated_at timestamptz not null default now()
  );
  comment on column tenant_deletions.due_at is
    'Nobody but its holder works on it before then; afterwards any worker may. Null: it is done.';
  comment on column tenant_deletions.claims is
    'Who claimed it since a worker last wrote what became of it. Above one: workers were lost over it.';
  create index tenant_deletions_due on tenant_deletions (due_at) where due_at is not null;

  create table tenant_oauth_clients (
    tenant        text collate "C" not null references tenants (id),
    integration   text not null,
    client_id     text not null,
    client_secret text,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now(),
    primary key (tenant, integration)
  );

  create table registered_clients (
    issuer                text collate "C" not null,
    client_id             text collate "C" not null,
    by                    text not null,
    client_secret         text,
    client_authentication text not null,
    redirect_uri          text not null,
    scope                 text not null,
    registered_at         timestamptz not null default now(),
    worked_at             timestamptz,
    forgotten_at          timestamptz,
    expires_at            timestamptz,
    primary key (issuer, client_id)
  );
  comment on table registered_clients is
    'OAuth clients that the deployment has made for itself at the authorization servers of MCP servers.';
  comment on column registered_clients.worked_at is 'When the token endpoint first accepted the client.';
  comment on column registered_clients.forgotten_at is
    'When the authorization server said that it does not know the client. The next link registers another one.';

  create table api_keys (
    id         text collate "C" primary key,
    digest     text not null unique,
    name       text not null,
    tenant     text collate "C" references tenants (id),
    test_mode  boolean not null default false,
    last_four  text not null,
    created_at timestamptz not null default now(),
    expires_at timestamptz,
    last_used_at timestamptz,
    revoked_at timestamptz
  );
  comment on column api_keys.expires_at is 'From then on it opens nothing. Null: it never expires.';
  comment on column api_keys.last_used_at is 'Written once a minute by each process that saw it; null: never used.';
  create index api_keys_by_tenant on api_keys (tenant, id);

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
    id          text collate "C" primary key,
    check_value text not null,
    since       timestamptz not null default now()
  );
  comment on column encryption_keys.check_value is 'Sealed by the key: another key under its id does not open it.';
  comment on table encryption_keys is
    'Ids of keys that may have sealed something in this database. A rotation that leaves nothing to another key ends them.';
`
