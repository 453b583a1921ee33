/**
 * Hosts that the owners of previews chose: a label `pv-<prefix>-<workspace>`, which one preview has, or a host of a custom
 * domain, which only the workspace that verified the domain gets.
 */
export const previewHosts = `
  create table preview_hosts (
    preview text primary key references resources on delete cascade,
    workspace text collate "C" not null,
    address text collate "C" not null
  );
  create unique index preview_host_once on preview_hosts (address, workspace);
  create unique index preview_label_once on preview_hosts (address) where address like 'pv-%';

  create function preview_host(spec jsonb, workspace text) returns text language sql immutable as $$
    select case
      when spec ->> 'customDomain' <> '' then lower(concat_ws('.', nullif(spec ->> 'prefixUrl', ''), spec ->> 'customDomain'))
      when spec ->> 'prefixUrl' <> '' then lower('pv-' || (spec ->> 'prefixUrl') || '-' || workspace) end
  $$;

  create function note_preview_host() returns trigger language plpgsql as $$
  begin
    if tg_op = 'UPDATE' and preview_host(old.spec, old.workspace) is not distinct from preview_host(new.spec, new.workspace)
    then return null; end if;
    delete from preview_hosts where preview = new.id;
    insert into preview_hosts (preview, workspace, address)
    select new.id, new.workspace, address from (select preview_host(new.spec, new.workspace) as address) chosen
    where address is not null;
    return null;
  end $$;
  create trigger note_preview_host after insert or update of spec on resources
  for each row when (new.kind = 'preview') execute function note_preview_host();

  insert into preview_hosts (preview, workspace, address)
  select id, workspace, preview_host(spec, workspace) from resources
  where kind = 'preview' and preview_host(spec, workspace) is not null
  on conflict do nothing;
`
