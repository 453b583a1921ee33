import type { Migration } from '../../../../kit/database/migrations.ts'

// The overview counts receivers that take no messages any more, and their page lists them: mostly none.
export const disabledWebhooks: Migration = {
  name: '0019-disabled-webhooks',
  sql: `
    create index webhooks_disabled on webhooks (id) where status = 'disabled';
  `,
}
