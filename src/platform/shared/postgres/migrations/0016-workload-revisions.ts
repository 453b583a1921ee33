/**
 * Earlier revisions of agents, functions and models. The current one is in the resource. A trigger keeps a revision that
 * was accepted when another one takes its place, and forgets the oldest ones that nothing names.
 */
export const workloadRevisions = `
  create table workload_revisions (
    id text primary key,
    resource_id text not null references resources on delete cascade,
    runtime jsonb not null,
    sealed text,
    created_at timestamptz(3) not null,
    created_by text not null
  );
  create index workload_revisions_by_resource on workload_revisions (resource_id, created_at);

  create function keep_revision() returns trigger language plpgsql as $$
  declare
    revision text := coalesce(old.state ->> 'revision', old.id);
    accepted text := coalesce(old.state ->> 'accepted',
      case when old.status in ('DEPLOYED', 'DEACTIVATING', 'DEACTIVATED') then old.id end);
  begin
    if revision is distinct from accepted then return null; end if;
    insert into workload_revisions (id, resource_id, runtime, sealed, created_at, created_by)
    values (revision, old.id, old.spec -> 'runtime', old.sealed,
      coalesce((old.state ->> 'revisedAt')::timestamptz, old.created_at),
      coalesce(old.state ->> 'revisedBy', old.created_by))
    on conflict (id) do nothing;
    delete from workload_revisions kept where resource_id = old.id
      and id not in (select id from workload_revisions where resource_id = old.id order by created_at desc, id limit 9)
      and id is distinct from accepted and id is distinct from new.state ->> 'before'
      and id is distinct from new.spec #>> '{revision,active}' and id is distinct from new.spec #>> '{revision,canary}';
    return null;
  end $$;
  create trigger keep_revision after update on resources for each row
  when (new.kind in ('agent', 'function', 'model') and old.state ->> 'revision' is distinct from new.state ->> 'revision')
  execute function keep_revision();
`
