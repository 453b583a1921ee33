/**
 * - When a sandbox or preview ends, from its spec. A trigger, so that every write counts. Durations are validated before.
 * - A sandbox takes its previews along, and a preview its tokens. Nothing refers to them.
 */
export const expiringResources = `
  create table expiring_resources (
    id text primary key references resources on delete cascade,
    due_at timestamptz(3),
    idle interval,
    used_at timestamptz(3) not null default now()
  );
  create index expiring_resources_by_due on expiring_resources (due_at);
  create index expiring_resources_idle on expiring_resources (used_at) where idle is not null;

  create function duration_of(given text) returns interval language sql immutable as $$
    select left(given, -1)::integer * case right(given, 1)
      when 's' then interval '1 second' when 'm' then interval '1 minute' when 'h' then interval '1 hour'
      when 'd' then interval '1 day' when 'w' then interval '7 days' end
  $$;

  create function note_expiry() returns trigger language plpgsql as $$
  declare
    ends timestamptz;
    unused interval;
    runtime jsonb := case new.kind when 'sandbox' then new.spec -> 'runtime' else new.spec end;
  begin
    if tg_op = 'UPDATE' and old.spec is not distinct from new.spec then return null; end if;
    select
      least((runtime ->> 'expires')::timestamptz, new.created_at + duration_of(runtime ->> 'ttl'),
        min(case type when 'date' then value::timestamptz
          when 'ttl-max-age' then new.created_at + duration_of(value) end)),
      min(case type when 'ttl-idle' then duration_of(value) end)
      into ends, unused
      from jsonb_to_recordset(coalesce(nullif(new.spec #> '{lifecycle,expirationPolicies}', 'null'), '[]'))
        as policy (type text, value text);
    if ends is null and unused is null then
      delete from expiring_resources where id = new.id;
    else
      insert into expiring_resources (id, due_at, idle) values (new.id, ends, unused)
      on conflict (id) do update set due_at = excluded.due_at, idle = excluded.idle, used_at = now();
    end if;
    return null;
  end $$;
  create trigger note_expiry after insert or update on resources
  for each row when (new.kind in ('sandbox', 'preview')) execute function note_expiry();

  create function remove_previews() returns trigger language plpgsql as $$
  declare
    path text := case old.parent when '' then old.name else old.parent || '/' || old.name end;
  begin
    delete from resources where workspace = old.workspace and parent = path
      and kind = case old.kind when 'sandbox' then 'preview' else 'previewtoken' end;
    return null;
  end $$;
  create trigger remove_previews after delete on resources
  for each row when (old.kind in ('sandbox', 'preview')) execute function remove_previews();
`
