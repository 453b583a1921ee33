/**
 * Accounts own workspaces. Users and service accounts enter them, and keys act for both.
 *
 * - `roles` of users are for apps. Memberships decide on the platform.
 * - `scopes` are those of the credential that created a key or service account. Without scopes, the role decides.
 * - `grant_name` is the grant whose token created a key or service account, which ends with the grant.
 * - `password_set_at`: earlier sessions have ended.
 * - Invitations are for addresses, with or without a user.
 * - Groups belong to an account's directory, so they apply only to workspaces of that account.
 * - The strongest of several roles in a workspace applies.
 * - The owner of a deleted workspace is kept, because its last seconds are still billed.
 * - The name of a deleted workspace is reserved for an hour before another account can use it. Memberships are cached for
 *   seconds by workspace name, and an hour is longer than any cache entry, slow request body or gateway request. This is
 *   checked after the insert by a separate statement, so that an insert that waited for the delete sees its writes.
 */
export const tenancy = `
  create table accounts (
    id text primary key,
    name text not null unique,
    created_at timestamptz(3) not null default now()
  );

  create table users (
    id text primary key,
    email text not null unique check (email = lower(email)),
    password_hash text,
    password_set_at timestamptz(3),
    roles text[] not null default '{}',
    created_at timestamptz(3) not null default now()
  );

  create table account_members (
    account_id text not null references accounts on delete cascade,
    user_id text not null references users on delete cascade,
    role text not null check (role in ('admin', 'member')),
    primary key (account_id, user_id)
  );

  create table workspaces (
    name text collate "C" primary key,
    id text not null unique,
    account_id text not null references accounts,
    display_name text not null default '',
    region text not null default '',
    labels jsonb not null default '{}',
    group_mappings jsonb not null default '[]',
    runtime jsonb not null default '{}',
    status text not null default 'created',
    status_reason text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    created_by text not null,
    updated_by text not null
  );

  create table workspace_members (
    workspace text not null references workspaces on delete cascade,
    user_id text not null references users on delete cascade,
    role text not null check (role in ('admin', 'member')),
    primary key (workspace, user_id)
  );

  create table service_accounts (
    client_id text primary key,
    workspace text not null references workspaces on delete cascade,
    name text not null,
    description text not null default '',
    role text not null check (role in ('admin', 'member')),
    account_wide boolean not null default false,
    secret_hash bytea,
    scopes text[],
    grant_name text,
    created_at timestamptz(3) not null default now(),
    updated_at timestamptz(3) not null default now(),
    created_by text not null,
    updated_by text not null,
    unique (workspace, name)
  );
  create index service_accounts_by_grant on service_accounts (grant_name) where grant_name is not null;

  create table api_keys (
    id text primary key,
    hash bytea not null unique,
    last4 text not null,
    name text not null,
    user_id text references users on delete cascade,
    service_account_id text references service_accounts on delete cascade,
    scopes text[],
    grant_name text,
    created_at timestamptz(3) not null default now(),
    created_by text not null,
    last_used_at timestamptz(3),
    expires_at timestamptz(3),
    check (num_nonnulls(user_id, service_account_id) = 1)
  );
  comment on column api_keys.last_used_at is 'Written at most once a minute by each process. Null: never used.';
  create index api_keys_by_service_account on api_keys (service_account_id) where service_account_id is not null;

  create index api_keys_by_grant on api_keys (grant_name) where grant_name is not null;

  create table workspace_invitations (
    workspace text collate "C" not null references workspaces on delete cascade,
    email text not null check (email = lower(email)),
    role text not null check (role in ('admin', 'member')),
    invited_by text not null,
    created_at timestamptz(3) not null default now(),
    primary key (workspace, email)
  );
  create index workspace_invitations_by_email on workspace_invitations (email);

  create table user_groups (
    user_id text not null references users on delete cascade,
    account_id text not null references accounts on delete cascade,
    group_name text not null,
    primary key (user_id, account_id, group_name)
  );
  create index workspaces_by_account on workspaces (account_id);
  create index workspace_members_by_user on workspace_members (user_id);

  create view workspace_access as
  select workspace, user_id, case when bool_or(role = 'admin') then 'admin' else 'member' end as role,
    bool_or(direct) as direct
  from (
    select m.workspace collate "C" as workspace, m.user_id, m.role, true as direct from workspace_members m
    union all
    select w.name, g.user_id, mapping.role, false
    from user_groups g join workspaces w on w.account_id = g.account_id
    cross join lateral jsonb_to_recordset(w.group_mappings) as mapping ("groupName" text, role text)
    where mapping."groupName" = g.group_name
  ) ways
  group by workspace, user_id;

  create table workspace_owners (
    workspace text collate "C" primary key,
    account_id text not null,
    released_at timestamptz(3)
  );

  create function remember_owner() returns trigger language plpgsql as $$
  begin
    insert into workspace_owners as known values (new.name, new.account_id)
    on conflict (workspace) do update set account_id = excluded.account_id, released_at = null
    where known.account_id = excluded.account_id or known.released_at is null
      or known.released_at < clock_timestamp() - interval '1 hour';
    if not found then
      raise unique_violation using constraint = 'workspace_name_rests', message = 'the name rests';
    end if;
    return null;
  end $$;

  create trigger remember_owner after insert or update of account_id on workspaces
  for each row execute function remember_owner();

  create function release_name() returns trigger language plpgsql as $$
  begin
    update workspace_owners set released_at = clock_timestamp() where workspace = old.name;
    return null;
  end $$;
  create trigger release_name after delete on workspaces for each row execute function release_name();
`
