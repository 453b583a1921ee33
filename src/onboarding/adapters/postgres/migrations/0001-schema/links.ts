// No foreign keys: the referenced rows are never deleted, and the checks would cost seven queries per link and lock the
// tenant's row. Partial indexes for the backlog and for retries are nearly empty. The index by integration only has
// ended links and those that wait for a person, because each move writes all other indexes again. Users are found by
// their sessions, whose rows never change.
export const links = `
  create table connect_sessions (
    id                   text collate "C" primary key,
    token_digest         text not null unique,
    tenant               text collate "C" not null references tenants (id),
    integration          text,
    choices              text[],
    end_user             jsonb not null,
    return_url           text,
    completion_challenge text,
    connection_id        text collate "C" references connections (id),
    allow_other_account  boolean not null default false,
    if_connected         text not null default 'add',
    inputs               jsonb not null default '{}',
    test_outcome         text,
    expires_at           timestamptz not null,
    cancelled_at         timestamptz,
    cause                text,
    created_at           timestamptz not null default now()
  );
  comment on column connect_sessions.cause is
    'Why the user was not sent to the provider, at the latest attempt. Meaningless once there is a link.';
  comment on column connect_sessions.choices is
    'The integrations that the user picks one of, an empty list: all that the tenant may use. Null: integration is it.';
  comment on column connect_sessions.inputs is 'What the tenant said in the place of its user, by the names of the profile.';
  comment on column connect_sessions.test_outcome is 'Of a test tenant: what the built-in provider does; null: it asks the user.';
  comment on column connect_sessions.connection_id is 'The connection that this session re-links; null: it makes one.';
  create index connect_sessions_by_connection on connect_sessions (connection_id, id) where connection_id is not null;
  create index newest_sessions_by_email on connect_sessions ((lower(end_user ->> 'email') collate "C"), id desc)
    where end_user ? 'email';
  create index newest_sessions_by_end_user on connect_sessions ((lower(end_user ->> 'id') collate "C"), id desc);

  create table links (
    id                   text collate "C" primary key,
    session_id           text collate "C" not null unique,
    tenant               text collate "C" not null,
    workspace            text not null,
    integration          text not null,
    end_user             jsonb not null,
    return_url           text,
    completion_challenge text,
    browser              text not null,
    state                text not null,
    cause                text,
    resume_from           text,
    forced_consent       boolean not null default false,
    missing_scopes       text[] not null default '{}',
    granted_scopes       text[],
    config               jsonb not null default '{}',
    account_id           text,
    account_label        text,
    account_claimed      boolean not null default false,
    connection_id        text collate "C" not null,
    connection_name      text not null,
    function_name        text not null,
    function_url         text,
    relink               boolean not null default false,
    import_id            text collate "C",
    allow_other_account  boolean not null default false,
    if_connected         text not null default 'add',
    locks_user           boolean not null default false,
    attempts             integer not null default 0,
    fence                integer not null default 0,
    takeovers            integer not null default 0,
    wrong_completions    integer not null default 0,
    waiting_code            text,
    due_at               timestamptz,
    next_attempt_at          timestamptz,
    traceparent          text,
    calls                text,
    created_at           timestamptz not null default now(),
    updated_at           timestamptz not null default now()
  );
  comment on column links.due_at is
    'Nobody but its holder touches the link before then; afterwards any worker may take it. Null: nothing is left to do.';
  comment on column links.next_attempt_at is 'When it is tried again, and due_at says so too; null while somebody is at it.';
  comment on column links.locks_user is
    'It alone may make a connection for its user and integration, while it is carried on without a person.';
  comment on column links.traceparent is 'Of its trace, in the form of the W3C Trace Context. Null: traces were off.';
  comment on column links.calls is
    'Its newest calls to other servers, each as: time in ms, call, status, duration in ms, attempt, error code. No addresses.';
  comment on column links.takeovers is 'Workers whose lease ran out at the step it is at; a move or a new try clears it.';
  create index links_due on links (due_at) where due_at is not null;
  comment on column links.import_id is 'The import that its grant came with, in the place of a consent.';
  create index links_imported on links (import_id)
    where import_id is not null and (due_at is not null or state = 'needs_attention');
  create index links_by_tenant on links (tenant, id);
  create index links_by_integration on links (integration, id) where due_at is null;
  create index links_by_trace on links (substr(traceparent, 4, 32)) where right(traceparent, 2) = '01';
  create index links_by_connection on links (connection_id, id);
  create index links_backlog on links (tenant)
    where state in ('escrowed', 'connection_ready', 'function_ready');
  create unique index links_locking_users on links (tenant, integration, (end_user ->> 'id')) where locks_user;
  create index links_retrying on links (cause, state, id) include (tenant, created_at, next_attempt_at)
    where attempts > 0 or next_attempt_at is not null;
  create index links_not_linked on links (state, id) include (tenant, cause, updated_at)
    where state in ('needs_attention', 'failed', 'exchange_unknown', 'cancelled', 'denied', 'abandoned');
  create index links_by_cause on links (cause, id) where cause is not null;
  create index links_by_tenant_and_cause on links (tenant, cause, id) where cause is not null;

  create table escrow (
    link_id       text collate "C" primary key,
    sealed        text not null,
    trial_refresh text,
    fingerprint   text,
    client_id     text,
    issuer        text,
    token_endpoint text,
    created_at    timestamptz not null default now()
  );
  comment on column escrow.client_id is
    'The client that it was issued to, which tenant and operator may have replaced since; null: it was imported.';
  comment on column escrow.trial_refresh is
    'Sealed: what the provider answered when a new grant was tried once. Its refresh token goes before the first one.';

  create table stored_grants (
    link_id       text collate "C" primary key,
    connection_id text collate "C" not null,
    slot          text not null check (slot in ('current', 'previous')),
    sealed        text,
    trial_refresh text,
    fingerprint   text,
    client_id     text,
    issuer        text,
    token_endpoint text,
    rotates       boolean not null default false,
    keep_until    timestamptz,
    created_at    timestamptz not null default now(),
    unique (connection_id, slot) deferrable initially deferred
  );
  comment on table stored_grants is
    'The platform never gives a secret back, but revoking and rolling back need it. Without sealed, it was not kept.';
  create index stored_grants_to_forget on stored_grants (keep_until) where keep_until is not null;

  create table campaigns (
    id           text collate "C" primary key,
    cause        text not null,
    tenant       text collate "C" references tenants (id),
    integration  text,
    reason       text not null,
    actor_kind   text not null,
    actor_id     text,
    actor_name   text,
    members      integer not null,
    expires_at   timestamptz not null,
    cancelled_at timestamptz,
    created_at   timestamptz not null default now()
  );
  comment on column campaigns.cancelled_at is 'When its unused addresses were withdrawn.';
  create table campaign_members (
    campaign      text collate "C" not null references campaigns (id),
    connection_id text collate "C" not null references connections (id),
    session_id    text collate "C" not null unique references connect_sessions (id),
    primary key (campaign, connection_id)
  );
`
