import type { Migration } from '../../../../kit/database/migrations.ts'

// A process that died between making something and keeping its answer let the next try make a second one. What is
// made has an id from the seed now, so the next try finds it.
export const idempotencySeeds: Migration = {
  name: '0013-idempotency-seeds',
  sql: `
    alter table idempotency_keys add column seed text, add column fence integer not null default 0;
    comment on column idempotency_keys.seed is
      'Of what the request makes: ids and, with the signing key, tokens. Null once the answer is kept.';
    comment on column idempotency_keys.fence is 'Counts who took the request up; only the last one may say how it ended.';
  `,
}
