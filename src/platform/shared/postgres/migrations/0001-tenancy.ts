import type { Migration } from '../../../../kit/database/migrations.ts'

/** Who there is: accounts own workspaces, people and service accounts enter them, keys speak for both. */
export const tenancy: Migration = {
  name: '0001-tenancy',
  sql: `
    create table accounts (
      id text primary key,
      name text not null unique,
      created_at timestamptz(3) not null default now()
    );

    create table users (
      id text primary key,
      email text not null unique check (email = lower(email)),
      password_hash text,
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
      secret_hash bytea,
      created_at timestamptz(3) not null default now(),
      updated_at timestamptz(3) not null default now(),
      created_by text not null,
      updated_by text not null,
      unique (workspace, name)
    );

    create table api_keys (
      id text primary key,
      hash bytea not null unique,
      last4 text not null,
      name text not null,
      user_id text references users on delete cascade,
      service_account_id text references service_accounts on delete cascade,
      created_at timestamptz(3) not null default now(),
      expires_at timestamptz(3),
      check (num_nonnulls(user_id, service_account_id) = 1)
    );`,
}
