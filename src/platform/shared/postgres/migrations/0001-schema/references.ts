/**
 * - A volume is attached to at most one sandbox. Concurrent transactions don't see each other's specs, so the key of
 *   volume_attachments enforces it.
 * - A resource that others need can't be deleted. A create that checks its parent and a delete that checks for references
 *   may race: the create locks the needed row until its transaction ends, and the delete checks again with the row locked.
 * - Deleted resources with a folder on disk are recorded, so that the machine with the folder removes it. A trigger does
 *   this, because resources deleted with their workspace are never named.
 */
export const references = `
  create table volume_attachments (
    workspace text collate "C" not null,
    volume text not null,
    holder text not null references resources on delete cascade,
    constraint volume_attached_once primary key (workspace, volume)
  );
  create index volume_attachments_by_holder on volume_attachments (holder);

  create function attach_volumes() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' then
      if old.spec -> 'volumes' is not distinct from new.spec -> 'volumes' then return null; end if;
      delete from volume_attachments where holder = new.id;
    end if;
    insert into volume_attachments
    -- In one order everywhere, so that two who want the same volumes wait for one another and not both.
    select distinct new.workspace, mount ->> 'name', new.id from jsonb_array_elements(new.spec -> 'volumes') mount
    order by 2;
    return null;
  end $$;

  create trigger attach_volumes after insert or update on resources
  for each row when (new.kind = 'sandbox') execute function attach_volumes();

  create function hold_parent() returns trigger language plpgsql as $$
  begin
    perform from resources where workspace = new.workspace
      and kind = case new.kind when 'egressip' then 'egressgateway' else 'vpc' end
      and parent = case new.kind when 'egressip' then split_part(new.parent, '/', 1) else '' end
      and name = case new.kind when 'egressip' then split_part(new.parent, '/', 2) else new.parent end
    for key share;
    if not found then
      raise foreign_key_violation using constraint = 'resource_has_parent', message = 'the parent is gone';
    end if;
    return new;
  end $$;

  create trigger hold_parent before insert on resources
  for each row when (new.kind in ('egressgateway', 'egressip')) execute function hold_parent();

  -- One that is missing makes a workload fail later, with an event that says so.
  create function hold_references() returns trigger language plpgsql as $$
  begin
    perform from resources where workspace = new.workspace and parent = '' and (
      (kind = 'volume' and name in (select mount ->> 'name' from jsonb_array_elements(new.spec -> 'volumes') mount))
      or (kind = 'drive' and name in (select mount ->> 'name' from jsonb_array_elements(new.spec -> 'drives') mount))
      or (kind = 'integrationconnection'
        and name in (select jsonb_array_elements_text(new.spec -> 'integrationConnections'))))
    order by id for key share;
    return new;
  end $$;

  create trigger hold_references before insert on resources
  for each row when (new.kind in ('agent', 'function', 'model', 'sandbox')) execute function hold_references();
  create trigger hold_references_again before update of spec on resources
  for each row when (new.kind in ('agent', 'function', 'model', 'sandbox') and old.spec is distinct from new.spec)
  execute function hold_references();

  create function refuse_needed() returns trigger language plpgsql as $$
  declare
    path text := case old.parent when '' then old.name else old.parent || '/' || old.name end;
  begin
    -- A workspace that is being deleted takes all of them along.
    if exists (select from workspaces where name = old.workspace) and (case old.kind
      when 'vpc' then exists (
        select from resources where workspace = old.workspace and kind = 'egressgateway' and parent = path)
      when 'egressgateway' then exists (
        select from resources where workspace = old.workspace and kind = 'egressip' and parent = path)
      when 'volume' then exists (
        select from volume_attachments where workspace = old.workspace and volume = old.name)
      when 'drive' then exists (
        select from resources where workspace = old.workspace and kind in ('agent', 'function', 'sandbox')
          and spec @> jsonb_build_object('drives', jsonb_build_array(jsonb_build_object('name', old.name))))
      else exists (
        select from resources where workspace = old.workspace and kind in ('agent', 'function', 'model')
          and spec @> jsonb_build_object('integrationConnections', jsonb_build_array(old.name)))
      end)
    then
      raise foreign_key_violation using constraint = 'resource_needed', message = 'somebody needs it';
    end if;
    return old;
  end $$;

  create trigger refuse_needed before delete on resources
  for each row when (old.kind in ('vpc', 'egressgateway', 'volume', 'drive', 'integrationconnection'))
  execute function refuse_needed();

  create table removed_folders (
    id text primary key,
    kind text not null,
    workspace text not null,
    removed_at timestamptz(3) not null default now()
  );
  create index removed_folders_by_age on removed_folders (removed_at);

  create function note_removed_folder() returns trigger language plpgsql as $$
  begin
    insert into removed_folders (id, kind, workspace) values (old.id, old.kind, old.workspace) on conflict do nothing;
    return null;
  end $$;
  create trigger resources_with_folder after delete on resources for each row
    when (old.kind in ('sandbox', 'volume', 'drive')) execute function note_removed_folder();
`
