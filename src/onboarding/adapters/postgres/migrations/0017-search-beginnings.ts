import type { Migration } from '../../../../kit/database/migrations.ts'

// What support is told of, by how it begins and whatever its case. Where many begin alike, the newest come first.
export const searchBeginnings: Migration = {
  name: '0017-search-beginnings',
  sql: `
    create index connections_by_workspace on connections ((lower(workspace) collate "C"), id desc);
    create index connections_by_account_id on connections ((lower(account_id) collate "C")) where account_id is not null;
    create index tenants_by_workspace on tenants ((lower(workspace) collate "C"));
  `,
}
