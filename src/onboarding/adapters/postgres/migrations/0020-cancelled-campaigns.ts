import type { Migration } from '../../../../kit/database/migrations.ts'

export const cancelledCampaigns: Migration = {
  name: '0020-cancelled-campaigns',
  sql: `
    alter table campaigns add column cancelled_at timestamptz;
    comment on column campaigns.cancelled_at is 'When its unused addresses were withdrawn.';
  `,
}
