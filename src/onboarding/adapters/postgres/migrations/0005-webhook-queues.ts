import type { Migration } from '../../../../kit/database/migrations.ts'

// Each webhook's queue is an index of its own: what was delivered is not in it, however much that becomes.
export const webhookQueues: Migration = {
  name: '0005-webhook-queues',
  sql: `
    drop index webhook_deliveries_due;
    drop index webhook_deliveries_by_webhook;
    create index webhook_deliveries_by_webhook on webhook_deliveries (webhook);
    create index webhook_deliveries_queue on webhook_deliveries (webhook, due_at) where due_at is not null;
  `,
}
