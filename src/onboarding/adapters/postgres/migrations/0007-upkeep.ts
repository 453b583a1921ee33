import type { Migration } from '../../../../kit/database/migrations.ts'

// What keeps a connection alive after its first link: re-links, kept grants, health checks, tasks and campaigns.
export const upkeep: Migration = {
  name: '0007-upkeep',
  sql: `
    alter table connect_sessions
      alter column return_url drop not null,
      add column connection_id text collate "C" references connections (id),
      add column allow_other_account boolean not null default false;
    comment on column connect_sessions.connection_id is 'The connection that this session re-links; null: it makes one.';
    create index connect_sessions_by_connection on connect_sessions (connection_id, id) where connection_id is not null;

    alter table links
      alter column return_url drop not null,
      add column relink boolean not null default false,
      add column allow_other_account boolean not null default false;
    create index links_by_connection on links (connection_id, id);

    alter table escrow add column proof text;
    comment on column escrow.proof is
      'Sealed: what the provider answered when a new grant was tried once. Its refresh token goes before the first one.';

    create table kept_grants (
      link_id       text collate "C" primary key references links (id),
      connection_id text collate "C" not null references connections (id),
      slot          text not null check (slot in ('current', 'previous')),
      sealed        text,
      proof         text,
      fingerprint   text,
      client_id     text,
      rotates       boolean not null default false,
      keep_until    timestamptz,
      created_at    timestamptz not null default now(),
      unique (connection_id, slot) deferrable initially deferred
    );
    comment on table kept_grants is
      'The platform never gives a secret back, but revoking and rolling back need it. Without sealed, it was not kept.';
    create index kept_grants_to_forget on kept_grants (keep_until) where keep_until is not null;

    alter table connections
      add column grant_version integer not null default 0,
      add column held_by text,
      add column health_due_at timestamptz,
      add column checked_at timestamptz,
      add column relinked_at timestamptz,
      add column disconnected_at timestamptz;
    comment on column connections.held_by is
      'The link or task that may change what stands on the platform; it counts only while that is still under way.';
    update connections set health_due_at = now() + random() * interval '6 hours';
    create index connections_health_due on connections (health_due_at) where health_due_at is not null;
    create index connections_by_account on connections (integration, account_id) where account_id is not null;
    create index connections_in_need on connections (cause, id) where status = 'needs_relink';

    create table health_checks (
      id            bigint generated always as identity primary key,
      connection_id text collate "C" not null references connections (id),
      at            timestamptz not null default now(),
      outcome       text not null,
      cause         text,
      duration_ms   integer not null,
      actor_kind    text not null
    );
    create index health_checks_by_connection on health_checks (connection_id, id);

    create table connection_tasks (
      id            text collate "C" primary key,
      connection_id text collate "C" not null references connections (id),
      kind          text not null,
      step          text not null,
      reason        text not null,
      actor         jsonb not null,
      notes         jsonb not null default '{}',
      cause         text,
      attempts      integer not null default 0,
      fence         integer not null default 0,
      due_at        timestamptz,
      created_at    timestamptz not null default now(),
      updated_at    timestamptz not null default now()
    );
    create unique index connection_tasks_open on connection_tasks (connection_id) where due_at is not null;
    create index connection_tasks_due on connection_tasks (due_at) where due_at is not null;

    create table campaigns (
      id          text collate "C" primary key,
      cause       text not null,
      tenant      text collate "C" references tenants (id),
      integration text,
      reason      text not null,
      actor_kind  text not null,
      actor_id    text,
      members     integer not null,
      expires_at  timestamptz not null,
      created_at  timestamptz not null default now()
    );
    create table campaign_members (
      campaign      text collate "C" not null references campaigns (id),
      connection_id text collate "C" not null references connections (id),
      session_id    text collate "C" not null unique references connect_sessions (id),
      primary key (campaign, connection_id)
    );

    alter table audit add column before jsonb, add column after jsonb;
    create index audit_by_connection on audit (connection, id) where connection is not null;
  `,
}
