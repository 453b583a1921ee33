import type { Migration } from '../../../../kit/database/migrations.ts'

/** Overridden variables whose values may be read, because their job says that they are no secrets. */
export const shownOverrides: Migration = {
  name: '0057-shown-overrides',
  sql: `alter table executions add column env_shown jsonb not null default '{}'`,
}
