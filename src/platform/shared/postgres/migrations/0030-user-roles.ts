import type { Migration } from '../../../../kit/database/migrations.ts'

/** Words that apps give a meaning to; what people may do on the platform itself is decided by memberships. */
export const userRoles: Migration = {
  name: '0030-user-roles',
  sql: `alter table users add column roles text[] not null default '{}';`,
}
