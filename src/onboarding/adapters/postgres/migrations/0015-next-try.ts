import type { Migration } from '../../../../kit/database/migrations.ts'

// due_at alone does not tell a link that waits for its next try from one that somebody is at. The index holds nothing
// but links that were tried in vain, and all that the overview says of them. Those that wait already when the column
// comes are waiting for their due_at.
export const nextTry: Migration = {
  name: '0015-next-try',
  sql: `
    alter table links add column next_try_at timestamptz;
    comment on column links.next_try_at is 'When it is tried again, and due_at says so too; null while somebody is at it.';
    update links set next_try_at = due_at where attempts > 0 and due_at > now();
    create index links_tried_again on links (cause, state, id) include (created_at, next_try_at)
      where attempts > 0 or next_try_at is not null;
  `,
}
