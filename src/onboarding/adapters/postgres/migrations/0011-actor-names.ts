import type { Migration } from '../../../../kit/database/migrations.ts'

// People of the console stood on record by their e-mail address, which can be given to somebody else. From here on
// actor_id is who they are to the issuer; lines from before keep what they say, because nothing on record is changed.
export const actorNames: Migration = {
  name: '0011-actor-names',
  sql: `
    alter table audit add column actor_name text;
    comment on column audit.actor_name is 'What the actor was called then, as an e-mail address. Who it was is actor_id.';
    create index audit_by_actor_name on audit (actor_name, id) where actor_name is not null;
    alter table campaigns add column actor_name text;
  `,
}
