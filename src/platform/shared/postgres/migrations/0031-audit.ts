import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * Who changed what. An entry is written by the statement that makes the change and is never touched again; it refers
 * to nothing, so it outlives what it is about.
 */
export const audit: Migration = {
  name: '0031-audit',
  sql: `
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
    for each statement execute function refuse_audit_change();`,
}
