import type { Migration } from '../../../../kit/database/migrations.ts'

// A tenant's signing secret could not be changed: a leaked one stayed good for ever, and a lost one stayed lost.
export const nextSigningSecrets: Migration = {
  name: '0021-next-signing-secrets',
  sql: `
    alter table tenants add column next_signing_secret text, add column next_signs_from timestamptz;
    comment on column tenants.next_signing_secret is
      'Sealed like the one it follows. From next_signs_from on it signs; a sweep then moves it to its place.';
    create index tenants_next_signs_from on tenants (next_signs_from) where next_signs_from is not null;
  `,
}
