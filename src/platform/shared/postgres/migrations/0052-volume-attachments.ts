import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * A volume is attached to one sandbox at a time. Sandboxes that are created or changed at the same moment do not see
 * each other, so their specs alone cannot promise it: the key of this table does. Where two have a volume already, the
 * older one keeps it.
 */
export const volumeAttachments: Migration = {
  name: '0052-volume-attachments',
  sql: `
    create table volume_attachments (
      workspace text collate "C" not null,
      volume text not null,
      holder text not null references resources on delete cascade,
      constraint volume_attached_once primary key (workspace, volume)
    );
    create index volume_attachments_by_holder on volume_attachments (holder);

    insert into volume_attachments
    select workspace, mount ->> 'name', id from resources, jsonb_array_elements(spec -> 'volumes') mount
    where kind = 'sandbox' order by created_at
    on conflict do nothing;

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
    for each row when (new.kind = 'sandbox') execute function attach_volumes();`,
}
