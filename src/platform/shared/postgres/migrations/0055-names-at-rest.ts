import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * A workspace is entered by its name, and who may enter is remembered for seconds, in every process. So the name of a
 * deleted workspace rests for an hour before another account may have it: longer than any memory of its members lives,
 * than a body takes to arrive whose sender was let in before, and than a request runs at the gateway.
 *
 * Decided after the insert, by a statement of its own: an insert that waited for the delete sees what the delete wrote.
 */
export const namesAtRest: Migration = {
  name: '0055-names-at-rest',
  sql: `
    alter table workspace_owners add released_at timestamptz(3);

    create or replace function remember_owner() returns trigger language plpgsql as $$
    begin
      insert into workspace_owners as known values (new.name, new.account_id)
      on conflict (workspace) do update set account_id = excluded.account_id, released_at = null
      where known.account_id = excluded.account_id or known.released_at is null
        or known.released_at < clock_timestamp() - interval '1 hour';
      if not found then
        raise unique_violation using constraint = 'workspace_name_rests', message = 'the name rests';
      end if;
      return null;
    end $$;

    create function release_name() returns trigger language plpgsql as $$
    begin
      update workspace_owners set released_at = clock_timestamp() where workspace = old.name;
      return null;
    end $$;
    create trigger release_name after delete on workspaces for each row execute function release_name();`,
}
