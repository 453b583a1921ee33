import type { Migration } from '../../../../kit/database/migrations.ts'

// Which keys sealed what is here, so that a start without one of them is refused before anything fails to open.
export const encryptionKeys: Migration = {
  name: '0012-encryption-keys',
  sql: `
    create table encryption_keys (
      id    text collate "C" primary key,
      since timestamptz not null default now()
    );
    comment on table encryption_keys is
      'Ids of keys that may have sealed something in this database. A rotation that leaves nothing to another key ends them.';
    insert into encryption_keys (id)
    select distinct split_part(sealed, '.', 2) from (
      select signing_secret as sealed from tenants
      union all select client_secret from tenant_oauth_clients
      union all select held_code from links
      union all select sealed from escrow
      union all select proof from escrow
      union all select sealed from kept_grants
      union all select proof from kept_grants
      union all select secret from webhooks
      union all select previous_secret from webhooks
      union all select answer from idempotency_keys
    ) as envelopes where sealed is not null;
  `,
}
