import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * Images are billed from the moment a workload is deployed, or deactivated, until it fails or goes. A step in between
 * (DEPLOYING, DEACTIVATING) changes nothing: it takes an update of what runs, or begins with nothing.
 *
 * The time is that of the event which says so, as a meter's beginning is that of the resource: the program's clock.
 */
export const imagesOfDeployed: Migration = {
  name: '0058-images-of-deployed',
  sql: `
    create or replace function open_meters(resource resources, since timestamptz) returns void language sql as $$
      insert into usage_meters
        (resource_id, workspace, resource_type, resource_name, dimension, image, megabytes, accrued_until)
      select resource.id, resource.workspace, m.type, resource.name, m.dimension, m.image, m.megabytes, since
      from (values
        ('volume', 'volume', 'volume_storage_gbs', '', (resource.spec ->> 'size')::numeric),
        ('customdomain', 'custom_domain', 'custom_domain_active_time_hours', '', 0),
        ('sandbox', 'sandbox', 'sandbox_snapshot_storage_gbs', '', 0),
        ('sandbox', 'sandbox', 'sandbox_image_storage_gbs', resource.spec #>> '{runtime,image}', null),
        ('agent', 'agent', 'agent_image_storage_gbs', resource.spec #>> '{runtime,image}', null),
        ('job', 'job', 'job_image_storage_gbs', resource.spec #>> '{runtime,image}', null),
        ('function', 'mcp_server', 'mcp_server_image_storage_gbs', resource.spec #>> '{runtime,image}', null)
      ) m (kind, type, dimension, image, megabytes)
      where m.kind = resource.kind and m.image is not null
        and (m.megabytes is not null or (m.image <> '' and resource.status in ('DEPLOYED', 'DEACTIVATED')))
      on conflict do nothing
    $$;

    create or replace function meter_resource() returns trigger language plpgsql as $$
    begin
      if tg_op = 'INSERT' then
        perform open_meters(new, new.created_at);
        return null;
      end if;
      update usage_meters set ended_at = greatest(accrued_until, clock_timestamp())
      where resource_id = old.id and ended_at is null and (tg_op = 'DELETE' or (image <> ''
        and (new.status = 'FAILED' or image is distinct from new.spec #>> '{runtime,image}')));
      if tg_op = 'UPDATE' then
        perform open_meters(new, coalesce((new.events -> -1 ->> 'time')::timestamptz, clock_timestamp()));
      end if;
      return null;
    end $$;

    drop trigger meter_changed on resources;
    create trigger meter_changed after update of spec, status on resources for each row
    when ((old.spec is distinct from new.spec or old.status is distinct from new.status)
      and new.kind in ('volume', 'customdomain', 'sandbox', 'agent', 'job', 'function'))
    execute function meter_resource();

    update usage_meters m set ended_at = greatest(m.accrued_until, now())
    from resources r where r.id = m.resource_id and r.status = 'FAILED' and m.image <> '' and m.ended_at is null;`,
}
