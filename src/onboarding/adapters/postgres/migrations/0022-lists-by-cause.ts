import type { Migration } from '../../../../kit/database/migrations.ts'

// Lists by cause, of everybody and of one tenant. Few rows have a cause, so these stay small; a tenant with many links
// and none of the cause is not read through to find that out.
export const listsByCause: Migration = {
  name: '0022-lists-by-cause',
  sql: `
    create index connections_by_cause on connections (cause, id) where cause is not null;
    create index connections_by_tenant_and_cause on connections (tenant, cause, id) where cause is not null;
    create index links_by_cause on links (cause, id) where cause is not null;
    create index links_by_tenant_and_cause on links (tenant, cause, id) where cause is not null;
  `,
}
