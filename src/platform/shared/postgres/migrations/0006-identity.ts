import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * What the authorization server remembers. Ids of its records are tokens and codes, so they are kept as hashes,
 * and what a record says is sealed: who reads the database can impersonate nobody.
 */
export const identity: Migration = {
  name: '0006-identity',
  sql: `
    create table oidc_records (
      model text not null,
      id_hash bytea not null,
      envelope text not null,
      grant_hash bytea,
      uid_hash bytea,
      user_code_hash bytea,
      expires_at timestamptz(3),
      consumed_at timestamptz(3),
      primary key (model, id_hash)
    );
    create index oidc_records_by_grant on oidc_records (grant_hash) where grant_hash is not null;
    create index oidc_records_by_uid on oidc_records (uid_hash) where uid_hash is not null;
    create index oidc_records_by_user_code on oidc_records (user_code_hash) where user_code_hash is not null;
    create index oidc_records_by_end on oidc_records (expires_at);

    create table signing_keys (
      kid text primary key,
      envelope text not null,
      created_at timestamptz(3) not null
    );

    create table oauth_clients (
      client_id text primary key,
      name text not null,
      secret_hash bytea,
      redirect_uris jsonb not null,
      created_at timestamptz(3) not null default now()
    );`,
}
