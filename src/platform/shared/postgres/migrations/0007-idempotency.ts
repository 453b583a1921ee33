import type { Migration } from '../../../../kit/database/migrations.ts'

/** First answers to requests with an Idempotency-Key. Answers may hold new secrets, so they are sealed. */
export const idempotency: Migration = {
  name: '0007-idempotency',
  sql: `
    create table idempotent_requests (
      id bytea primary key,
      body_hash bytea not null,
      answer text,
      begun_at timestamptz(3) not null default now()
    );
    create index idempotent_requests_by_age on idempotent_requests (begun_at);`,
}
