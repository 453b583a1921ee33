import type { Migration } from '../../../../kit/database/migrations.ts'

// When a client was brought was not written down. The last change is the best guess for those that are there.
export const ownClientTimes: Migration = {
  name: '0023-own-client-times',
  sql: `
    alter table tenant_oauth_clients add column created_at timestamptz;
    update tenant_oauth_clients set created_at = updated_at;
    alter table tenant_oauth_clients
      alter column created_at set default now(), alter column created_at set not null;
  `,
}
