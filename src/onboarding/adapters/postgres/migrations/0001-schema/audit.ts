// Four entries are written for every link, each into all indexes: so there is none of times. Ids grow with time.
// Refers to nothing, so it outlives what it is about. Emptying a table is neither an update nor a delete to a trigger,
// so it has one of its own.
export const audit = `
  create table audit (
    id           bigint generated always as identity primary key,
    at           timestamptz not null default now(),
    action       text not null,
    subject_kind text,
    subject_id   text collate "C",
    facts        jsonb not null default '{}',
    actor_kind   text not null,
    actor_id     text,
    actor_name   text,
    tenant       text collate "C",
    link         text collate "C",
    connection   text collate "C",
    reason       text,
    before       jsonb,
    after        jsonb,
    request_id   text,
    address      text,
    check ((subject_kind is null) = (subject_id is null))
  );
  comment on column audit.actor_name is 'What the actor was called then, as an email address. Who it was is actor_id.';
  comment on column audit.reason is 'What a person said, in their own words. What the program states is in facts.';
  create index audit_by_link on audit (link, id) where link is not null;
  create index audit_by_tenant on audit (tenant, id) where tenant is not null;
  create index audit_by_connection on audit (connection, id) where connection is not null;
  create index audit_by_request on audit (request_id) where request_id is not null;
  create index audit_by_action on audit (action, id);
  create index audit_by_actor on audit (actor_id, id) where actor_id is not null;
  create index audit_by_actor_name on audit (actor_name, id) where actor_name is not null;

  create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'the audit is only ever added to'; end
  $$;
  create trigger audit_insert_only before update or delete on audit
    for each statement execute function refuse_change();
  create trigger audit_never_emptied before truncate on audit
    for each statement execute function refuse_change();
`
