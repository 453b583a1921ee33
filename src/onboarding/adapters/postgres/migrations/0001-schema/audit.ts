// Each link writes four entries to all indexes, so there is no index on time; IDs grow with time. No foreign keys, so
// that entries outlive their subjects. TRUNCATE needs its own trigger.
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
    erasure      text collate "C",
    check ((subject_kind is null) = (subject_id is null))
  );
  comment on column audit.actor_name is 'What the actor was called then, as an email address. Who it was is actor_id.';
  comment on column audit.reason is 'What a person said, in their own words. What the program states is in facts.';
  comment on column audit.erasure is 'The erasure of an end user that took out of the entry what named them.';
  create index audit_by_link on audit (link, id) where link is not null;
  create index audit_by_tenant on audit (tenant, id) where tenant is not null;
  create index audit_by_connection on audit (connection, id) where connection is not null;
  create index audit_by_request on audit (request_id) where request_id is not null;
  create index audit_by_action on audit (action, id);
  create index audit_by_actor on audit (actor_id, id) where actor_id is not null;
  create index audit_by_actor_name on audit (actor_name, id) where actor_name is not null;
  create index audit_by_session on audit (subject_id)
    where subject_kind in ('connect_session', 'manage_session') and (actor_kind = 'browser' or reason is not null);

  create function refuse_change() returns trigger language plpgsql as $$
    begin raise exception 'the audit is only ever added to'; end
  $$;
  create trigger audit_insert_only before delete on audit
    for each statement execute function refuse_change();

  -- An erasure under way may take a person out of the entries of its tenant, and do nothing else to them.
  create function refuse_change_but_erasure() returns trigger language plpgsql as $$
    declare changeable constant text[] := array['reason', 'address', 'before', 'after', 'erasure'];
    begin
      if to_jsonb(new) - changeable = to_jsonb(old) - changeable
        and new.reason is null
        and (new.address is null or new.address = old.address)
        and (new.before is not distinct from old.before or new.before = old.before || '{"account": null}')
        and (new.after is not distinct from old.after or new.after = old.after || '{"account": null}')
        and exists (select from erasures where id = new.erasure and tenant = old.tenant and step = 'erasing')
      then return new; end if;
      raise exception 'the audit is only ever added to';
    end
  $$;
  create trigger audit_changed_by_erasures_alone before update on audit
    for each row execute function refuse_change_but_erasure();
  create trigger audit_never_emptied before truncate on audit
    for each statement execute function refuse_change();
`
