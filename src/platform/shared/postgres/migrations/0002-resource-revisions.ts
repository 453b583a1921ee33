/** Every write gives a row a new revision. The sequence never repeats one, not even for a row that is created again. */
export const resourceRevisions = `
  create sequence resource_revisions;
  alter table resources add column revision bigint not null default nextval('resource_revisions');

  create function raise_revision() returns trigger language plpgsql as $$
  begin
    new.revision := nextval('resource_revisions');
    return new;
  end $$;
  create trigger raise_revision before update on resources for each row execute function raise_revision();
`
