import type { Migration } from '../../../../kit/database/migrations.ts'

/** Counts once for each statement instead of once for each row, so a large delete does not crawl. */
export const counting: Migration = {
  name: '0004-counting',
  sql: `
    drop trigger count_resource on resources;
    drop function count_resource;

    create function count_resources() returns trigger language plpgsql as $$
    begin
      insert into resource_counts
      select c.workspace, c.kind, pg_backend_pid() % 16, case tg_op when 'INSERT' then count(*) else -count(*) end
      -- A workspace that is being deleted takes its counts along.
      from changed c join workspaces w on w.name = c.workspace
      group by c.workspace, c.kind
      on conflict (workspace, kind, shard) do update set count = resource_counts.count + excluded.count;
      return null;
    end $$;

    create trigger count_added after insert on resources
    referencing new table as changed for each statement execute function count_resources();
    create trigger count_removed after delete on resources
    referencing old table as changed for each statement execute function count_resources();`,
}
