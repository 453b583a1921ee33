import type { Migration } from '../../../../kit/database/migrations.ts'

// Since when something is in trouble, which its id does not tell: what was made last may have broken first. The time
// stands in the indexes that hold nothing but trouble, so the overview counts and sorts without reading a row.
export const sinceWhen: Migration = {
  name: '0009-since-when',
  sql: `
    alter table connections add column status_since timestamptz;
    comment on column connections.status_since is 'When the status came to be what it is.';
    update connections set status_since = coalesce(case when status = 'needs_relink' then (
      select max(at) from audit where audit.connection = connections.id and action = 'connection.needs_relink'
    ) end, updated_at);
    alter table connections alter column status_since set default now(), alter column status_since set not null;

    drop index connections_in_need;
    create index connections_in_need on connections (cause, id) include (status_since) where status = 'needs_relink';
    drop index links_in_trouble;
    create index links_in_trouble on links (cause, id) include (updated_at) where state = 'needs_attention';
  `,
}
