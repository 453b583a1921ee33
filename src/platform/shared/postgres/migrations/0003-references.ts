import type { Migration } from '../../../../kit/database/migrations.ts'

/** Finds who refers to a resource by name, and keeps a public address from being given out twice. */
export const references: Migration = {
  name: '0003-references',
  sql: `
    create index resources_by_reference on resources using gin (spec jsonb_path_ops)
      where kind in ('agent', 'function', 'model', 'sandbox');
    create unique index resources_by_address on resources ((spec ->> 'publicIp')) where kind = 'egressip';`,
}
