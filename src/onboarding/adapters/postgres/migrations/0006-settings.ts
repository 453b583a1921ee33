export const settings = `
  create table setting_versions (
    version    bigint primary key,
    kind       text not null,
    subject    text collate "C" not null,
    tenant     text collate "C",
    client_id  text,
    sealed     text,
    actor      jsonb not null,
    reason     text,
    restores   bigint,
    changed_at timestamptz not null default now()
  );
  comment on table setting_versions is
    'What was changed without a restart. A row never changes, except when its tenant is deleted; the newest of a subject applies.';
  comment on column setting_versions.version is 'Counts all changes of the deployment, in the order of their commits.';
  comment on column setting_versions.kind is 'integration: the subject is its ID. tool_policy: tenant/ or connection/ and the ID.';
  comment on column setting_versions.client_id is 'The OAuth client, so that links in progress find it after a change.';
  comment on column setting_versions.sealed is 'The entry with its secret. Null: removed.';
  comment on column setting_versions.restores is 'The version whose entry this one repeats.';
  create index setting_versions_by_subject on setting_versions (kind, subject, version);

  alter table api_keys add column purpose text;
  comment on column api_keys.purpose is 'settings: changes settings and nothing else. Null: the API for tenants.';
`
