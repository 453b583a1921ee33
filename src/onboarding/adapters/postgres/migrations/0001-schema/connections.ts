// Prefix search uses ordered indexes, whose cost does not grow with the number of matches. Partial indexes of rows that
// need attention include the times for sorting, so the overview reads no rows.
export const connections = `
  create table connections (
    id              text collate "C" primary key,
    tenant          text collate "C" not null,
    workspace       text not null,
    integration     text not null,
    name            text not null,
    function_name   text not null,
    function_url    text not null,
    account_id      text,
    account_label   text,
    account_claimed boolean not null default false,
    scopes          text[] not null,
    config          jsonb not null default '{}',
    status          text not null,
    status_since    timestamptz not null default now(),
    cause           text,
    end_user_id     text not null,
    grant_version   integer not null default 0,
    locked_by         text,
    locked_until      timestamptz,
    health_due_at   timestamptz,
    health_claims   integer not null default 0,
    checked_at      timestamptz,
    unclear_since   timestamptz,
    unclear_checks  integer not null default 0,
    unexplained_refusals integer not null default 0,
    health_unknown_since timestamptz,
    grant_ends_at   timestamptz,
    tool_list_hash  text,
    relinked_at     timestamptz,
    disconnected_at timestamptz,
    created_at      timestamptz not null default now(),
    updated_at      timestamptz not null default now(),
    unique (workspace, name)
  );
  comment on column connections.status_since is 'When the status came to be what it is.';
  comment on column connections.locked_by is
    'The link or task that may change what stands on the platform; it counts only while that is still under way.';
  comment on column connections.locked_until is
    'Until then locked_by counts, whatever it is; null: it counts while that link or task is under way.';
  comment on column connections.tool_list_hash is
    'The newest list of tools of the MCP server behind it that was seen, whether it is approved or waits.';
  comment on column connections.grant_ends_at is
    'Set once its tenant was told: then the provider ends the grant, whatever is done with it.';
  comment on column connections.health_claims is
    'Who claimed it for a check since one was last recorded. Above zero when it is due: a worker was lost over it.';

  create index connections_by_tenant on connections (tenant, id);
  create index connections_by_status on connections (status, id);
  create index connections_by_integration on connections (integration, id);
  create index connections_by_cause on connections (cause, id) where cause is not null;
  create index connections_by_tenant_and_cause on connections (tenant, cause, id) where cause is not null;
  create index connections_needing_attention on connections (cause, id) include (tenant, status_since, integration)
    where status = 'needs_relink';
  create index connections_health_unknown on connections (id) include (tenant, health_unknown_since, integration)
    where health_unknown_since is not null;
  create index connections_grant_ending on connections (id) include (tenant, status, grant_ends_at)
    where grant_ends_at is not null;
  create index connections_health_due on connections (health_due_at) where health_due_at is not null;
  create index connections_by_account on connections (account_id, integration) where account_id is not null;
  create index connections_by_name on connections (name collate "C");
  create index connections_by_label on connections ((lower(account_label) collate "C")) where account_label is not null;
  create index connections_by_account_id on connections ((lower(account_id) collate "C")) where account_id is not null;
  create index connections_by_workspace on connections ((lower(workspace) collate "C"), id desc);
  create index connections_in_use on connections (tenant, end_user_id, integration) where status <> 'disconnected';
  create index connections_by_end_user on connections ((lower(end_user_id) collate "C"), id desc);

  create table manage_sessions (
    id           text collate "C" primary key,
    token_digest text not null unique,
    tenant       text collate "C" not null references tenants (id),
    end_user     jsonb not null,
    return_url   text,
    browser      text,
    open_until   timestamptz not null,
    expires_at   timestamptz not null,
    revoked_at   timestamptz,
    created_at   timestamptz not null default now()
  );
  comment on table manage_sessions is 'Pages on which one user looks after their connections, for minutes.';
  comment on column manage_sessions.browser is 'Digest of the cookie of the browser that opened it first.';
  create index manage_sessions_to_forget on manage_sessions (expires_at);

  create table health_checks (
    id            bigint generated always as identity primary key,
    connection_id text collate "C" not null references connections (id),
    at            timestamptz not null default now(),
    outcome       text not null,
    cause         text,
    detail        text,
    duration_ms   integer not null,
    actor_kind    text not null
  );
  create index health_checks_by_connection on health_checks (connection_id, id);

  create table health_days (
    integration text not null,
    day         timestamptz not null,
    outcome     text not null,
    checks      bigint not null,
    primary key (integration, day, outcome)
  );
  comment on table health_days is
    'How many checks of live connections found what, by day in UTC: few checks of each connection are kept.';

  create table connection_tasks (
    id            text collate "C" primary key,
    connection_id text collate "C" not null references connections (id),
    kind          text not null,
    step          text not null,
    reason        text,
    actor         jsonb not null,
    notes         jsonb not null default '{}',
    cause         text,
    attempts      integer not null default 0,
    fence         integer not null default 0,
    claims        integer not null default 1,
    due_at        timestamptz,
    created_at    timestamptz not null default now(),
    updated_at    timestamptz not null default now()
  );
  comment on column connection_tasks.reason is
    'What a person said, in their own words. Null: the task follows from something else, which the audit states.';
  comment on column connection_tasks.claims is
    'Who claimed it since a worker last wrote what became of it. Above one: workers were lost over it.';
  create unique index connection_tasks_open on connection_tasks (connection_id) where due_at is not null;
  create index connection_tasks_due on connection_tasks (due_at) where due_at is not null;
  create index connection_tasks_by_connection on connection_tasks (connection_id, id);
`
