import type { Migration } from '../../../../kit/database/migrations.ts'

/** Drives stay while a workload has them, as volumes and connections do since 0053, and for the same reason there. */
export const drivesHeld: Migration = {
  name: '0056-drives-held',
  sql: `
    create or replace function hold_references() returns trigger language plpgsql as $$
    begin
      perform from resources where workspace = new.workspace and parent = '' and (
        (kind = 'volume' and name in (select mount ->> 'name' from jsonb_array_elements(new.spec -> 'volumes') mount))
        or (kind = 'drive' and name in (select mount ->> 'name' from jsonb_array_elements(new.spec -> 'drives') mount))
        or (kind = 'integrationconnection'
          and name in (select jsonb_array_elements_text(new.spec -> 'integrationConnections'))))
      order by id for key share;
      return new;
    end $$;

    create or replace function refuse_needed() returns trigger language plpgsql as $$
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

    drop trigger refuse_needed on resources;
    create trigger refuse_needed before delete on resources
    for each row when (old.kind in ('vpc', 'egressgateway', 'volume', 'drive', 'integrationconnection'))
    execute function refuse_needed();`,
}
