import type { Migration } from '../../../../kit/database/migrations.ts'

// A health check that refreshes a grant leaves no row that says whether it is under way, so its hold counted for
// nothing: two of them could spend one refresh token twice, which ends the grant at providers that rotate.
export const briefHolds: Migration = {
  name: '0010-brief-holds',
  sql: `
    alter table connections add column held_until timestamptz;
    comment on column connections.held_until is
      'Until then held_by counts, whatever it is; null: it counts while that link or task is under way.';
  `,
}
