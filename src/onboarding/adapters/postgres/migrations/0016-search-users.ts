import type { Migration } from '../../../../kit/database/migrations.ts'

// A user is found by their connections as well as by their sessions, and of the sessions the newest are looked at
// first: they are what somebody asks about, however many came to nothing before. While an index is made others still
// read the table; from a drop on they do not until the step is over, so that comes last.
export const searchUsers: Migration = {
  name: '0016-search-users',
  sql: `
    create index connections_by_end_user on connections ((lower(end_user_id) collate "C"), id desc);
    create index newest_sessions_by_email on connect_sessions ((lower(end_user ->> 'email') collate "C"), id desc)
      where end_user ? 'email';
    create index newest_sessions_by_end_user on connect_sessions ((lower(end_user ->> 'id') collate "C"), id desc);
    drop index sessions_by_email, sessions_by_end_user;
  `,
}
