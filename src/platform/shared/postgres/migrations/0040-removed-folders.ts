import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * What had a folder on disk and was deleted, so that the folder is removed by whichever machine has it, later if need
 * be. Written by a trigger: what goes with its workspace goes without any program knowing its name.
 */
export const removedFolders: Migration = {
  name: '0040-removed-folders',
  sql: `
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
      when (old.kind in ('sandbox', 'volume', 'drive')) execute function note_removed_folder();`,
}
