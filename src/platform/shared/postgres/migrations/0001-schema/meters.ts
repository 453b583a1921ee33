/**
 * Meters bill resources by time. A meter opens and closes in the transaction that changes the resource and keeps all
 * billing data, so the time before a delete is billed afterwards.
 *
 * - `megabytes` is set for volumes, measured periodically for snapshots, and null for images, whose size is configured.
 * - Time before `accrued_until` is already billed.
 * - Images are billed from DEPLOYED or DEACTIVATED until the workload fails or is deleted. DEPLOYING and DEACTIVATING change
 *   nothing. The time is that of the event, by the program's clock, like the creation time of the resource.
 */
export const meters = `
  create table usage_meters (
    id bigint generated always as identity primary key,
    resource_id text not null,
    workspace text collate "C" not null,
    resource_type text not null,
    resource_name text not null,
    dimension text not null,
    image text not null default '',
    megabytes numeric,
    accrued_until timestamptz(3) not null,
    ended_at timestamptz(3)
  );
  create unique index usage_meters_open on usage_meters (resource_id, dimension) where ended_at is null;
  create index usage_meters_by_time on usage_meters (accrued_until);

  create function open_meters(resource resources, since timestamptz) returns void language sql as $$
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

  create function meter_resource() returns trigger language plpgsql as $$
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

  create trigger meter_added after insert on resources for each row
  when (new.kind in ('volume', 'customdomain', 'sandbox', 'agent', 'job', 'function'))
  execute function meter_resource();
  create trigger meter_changed after update of spec, status on resources for each row
  when ((old.spec is distinct from new.spec or old.status is distinct from new.status)
    and new.kind in ('volume', 'customdomain', 'sandbox', 'agent', 'job', 'function'))
  execute function meter_resource();
  create trigger meter_removed after delete on resources for each row
  when (old.kind in ('volume', 'customdomain', 'sandbox', 'agent', 'job', 'function'))
  execute function meter_resource();
`
