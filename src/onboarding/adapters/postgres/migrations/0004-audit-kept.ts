import type { Migration } from '../../../../kit/database/migrations.ts'

// Emptying a table is neither an update nor a delete to a trigger, and passed by the one that was there.
export const auditKept: Migration = {
  name: '0004-audit-kept',
  sql: `
    create trigger audit_never_emptied before truncate on audit
      for each statement execute function refuse_change();
  `,
}
