/**
 * - Records of the authorization server: IDs are tokens and codes, so they are hashed, and contents are sealed. Read access
 *   to the database does not allow impersonation.
 * - End users of a function have no account: a tenant vouches for them with a hashed single-use login. They end with
 *   `grant_name`, the grant of the token that vouched. Function grants can be listed and revoked; the grant itself is an
 *   authorization server record with the same hash.
 * - Responses to requests with an Idempotency-Key are sealed, because they may contain new secrets.
 * - Encryption keys that may have sealed values here, each with a sealed value to detect a changed key.
 * - Audit entries are written by the statement of the change and are immutable. They reference nothing, so they outlive
 *   their subjects.
 */
export const identity = `
  create table oidc_records (
    model text not null,
    id_hash bytea not null,
    envelope text not null,
    grant_hash bytea,
    uid_hash bytea,
    user_code_hash bytea,
    expires_at timestamptz(3),
    consumed_at timestamptz(3),
    primary key (model, id_hash)
  );
  create index oidc_records_by_grant on oidc_records (grant_hash) where grant_hash is not null;
  create index oidc_records_by_uid on oidc_records (uid_hash) where uid_hash is not null;
  create index oidc_records_by_user_code on oidc_records (user_code_hash) where user_code_hash is not null;
  create index oidc_records_by_end on oidc_records (expires_at);

  create table signing_keys (
    kid text primary key,
    envelope text not null,
    created_at timestamptz(3) not null
  );

  create table oauth_clients (
    client_id text primary key,
    name text not null,
    secret_hash bytea,
    redirect_uris jsonb not null,
    self_registered boolean not null default false,
    used_at timestamptz(3),
    created_at timestamptz(3) not null default now()
  );
  create index oauth_clients_unused on oauth_clients (created_at) where self_registered and used_at is null;

  create table function_users (
    id text primary key,
    workspace text collate "C" not null references workspaces on delete cascade,
    function_name text collate "C" not null,
    function_id text not null,
    end_user_id text not null,
    label text not null,
    grant_name text,
    created_at timestamptz(3) not null default now()
  );
  create unique index function_users_by_person on function_users (function_id, end_user_id, coalesce(grant_name, ''));
  create index function_users_by_grant on function_users (grant_name) where grant_name is not null;

  create table function_logins (
    token_hash bytea primary key,
    function_user text not null references function_users (id) on delete cascade,
    expires_at timestamptz(3) not null,
    used_at timestamptz(3)
  );
  create index function_logins_by_end on function_logins (expires_at);

  create table function_grants (
    grant_hash bytea primary key,
    id text not null unique,
    workspace text collate "C" not null references workspaces on delete cascade,
    function_name text collate "C" not null,
    function_id text not null,
    account_id text not null,
    account_label text not null,
    end_user_id text,
    client_id text not null,
    client_name text not null,
    redirect_to text not null,
    scopes text[] not null,
    created_at timestamptz(3) not null default now()
  );
  create index function_grants_by_function on function_grants (workspace, function_name, created_at);

  create table idempotent_requests (
    id bytea primary key,
    body_hash bytea not null,
    answer text,
    begun_at timestamptz(3) not null default now()
  );
  create index idempotent_requests_by_age on idempotent_requests (begun_at);

  create table encryption_keys (
    id text collate "C" primary key,
    check_value text not null,
    since timestamptz not null default now()
  );

  create table audit_events (
    id bigint generated always as identity primary key,
    at timestamptz(3) not null default now(),
    actor_kind text not null,
    actor_id text not null,
    actor_label text not null,
    credential text not null,
    request_id text,
    address text,
    action text not null,
    workspace text collate "C",
    workspace_id text collate "C",
    resource_kind text not null,
    resource_name text not null,
    resource_id text not null
  );
  create index audit_events_by_workspace on audit_events (workspace_id, id);

  create function refuse_audit_change() returns trigger language plpgsql as $$
  begin
    raise exception 'the record of changes is only ever added to';
  end $$;
  create trigger audit_events_kept before update or delete or truncate on audit_events
  for each statement execute function refuse_audit_change();
`
