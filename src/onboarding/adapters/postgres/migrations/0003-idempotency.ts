import type { Migration } from '../../../../kit/database/migrations.ts'

export const idempotency: Migration = {
  name: '0003-idempotency',
  sql: `
    create table idempotency_keys (
      id       text primary key,
      digest   text not null,
      answer   text,
      begun_at timestamptz not null default now()
    );
    create index idempotency_keys_by_age on idempotency_keys (begun_at);
  `,
}
