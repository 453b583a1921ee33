import type { Migration } from '../../../../kit/database/migrations.ts'

// Ids sort by time ("C" collation: by their bytes), so lists are walked by id alone.
export const ledger: Migration = {
  name: '0001-ledger',
  sql: `
    create table tenants (
      id             text collate "C" primary key,
      workspace      text not null unique,
      display_name   text not null,
      return_urls    text[] not null,
      signing_secret text not null,
      created_at     timestamptz not null default now(),
      updated_at     timestamptz not null default now()
    );

    create table tenant_oauth_clients (
      tenant        text collate "C" not null references tenants (id),
      integration   text not null,
      client_id     text not null,
      client_secret text,
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

    create table connect_sessions (
      id                   text collate "C" primary key,
      token_digest         text not null unique,
      tenant               text collate "C" not null references tenants (id),
      integration          text not null,
      end_user             jsonb not null,
      return_url           text not null,
      completion_challenge text,
      expires_at           timestamptz not null,
      cancelled_at         timestamptz,
      created_at           timestamptz not null default now()
    );

    create table links (
      id                   text collate "C" primary key,
      session_id           text collate "C" not null unique references connect_sessions (id),
      tenant               text collate "C" not null references tenants (id),
      workspace            text not null,
      integration          text not null,
      end_user             jsonb not null,
      return_url           text not null,
      completion_challenge text,
      browser              text not null,
      state                text not null,
      cause                text,
      stopped_at           text,
      forced_consent       boolean not null default false,
      missing_scopes       text[] not null default '{}',
      granted_scopes       text[],
      account_id           text,
      account_label        text,
      connection_id        text collate "C" not null,
      connection_name      text not null,
      function_name        text not null,
      function_url         text,
      attempts             integer not null default 0,
      fence                integer not null default 0,
      wrong_completions    integer not null default 0,
      held_code            text,
      due_at               timestamptz,
      created_at           timestamptz not null default now(),
      updated_at           timestamptz not null default now()
    );
    comment on column links.due_at is
      'Nobody but its holder touches the link before then; afterwards any worker may take it. Null: nothing is left to do.';
    create index links_due on links (due_at) where due_at is not null;
    create index links_by_tenant on links (tenant, id);

    create table escrow (
      link_id     text collate "C" primary key references links (id),
      sealed      text not null,
      fingerprint text,
      created_at  timestamptz not null default now()
    );

    create table connections (
      id            text collate "C" primary key,
      tenant        text collate "C" not null references tenants (id),
      workspace     text not null,
      integration   text not null,
      name          text not null,
      function_name text not null,
      function_url  text not null,
      account_id    text,
      account_label text,
      scopes        text[] not null,
      status        text not null,
      cause         text,
      end_user_id   text not null,
      created_at    timestamptz not null default now(),
      updated_at    timestamptz not null default now(),
      unique (workspace, name)
    );
    create index connections_by_tenant on connections (tenant, id);

    create table outbox (
      id         text collate "C" primary key,
      tenant     text collate "C" not null references tenants (id),
      event      text not null,
      payload    jsonb not null,
      created_at timestamptz not null default now(),
      due_at     timestamptz default now(),
      attempts   integer not null default 0
    );
    create index outbox_due on outbox (due_at) where due_at is not null;

    create table audit (
      id         bigint generated always as identity primary key,
      at         timestamptz not null default now(),
      action     text not null,
      actor_kind text not null,
      actor_id   text,
      tenant     text collate "C",
      link       text collate "C",
      connection text collate "C",
      reason     text,
      request_id text,
      address    text
    );
    create index audit_by_link on audit (link, id) where link is not null;
    create index audit_by_tenant on audit (tenant, id) where tenant is not null;

    create function refuse_change() returns trigger language plpgsql as $$
      begin raise exception 'the audit is only ever added to'; end
    $$;
    create trigger audit_insert_only before update or delete on audit
      for each statement execute function refuse_change();
  `,
}
