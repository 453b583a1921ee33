// A block per chain and round of the sealer, so that the audit itself is written as before. A chain is a tenant, or ''.
export const auditChain = `
  create table audit_blocks (
    number    bigint generated always as identity,
    chain     text collate "C" not null,
    last      bigint not null,
    first     bigint not null,
    kind      text not null,
    ids       bigint[] not null default '{}',
    leaves    bytea not null,
    salts     bytea not null default '',
    body      jsonb,
    hash      bytea not null,
    sealed_at timestamptz not null,
    kid       text not null,
    signature bytea not null,
    primary key (chain, last)
  );
  create index audit_blocks_by_number on audit_blocks (number);
  comment on column audit_blocks.number is 'In order of the commits, because one process seals at a time. Exports go by it.';
  comment on column audit_blocks.last is 'The position in the chain of its last leaf.';
  -- Random bytes: compressing them would only cost time.
  alter table audit_blocks alter column leaves set storage external, alter column salts set storage external;

  create table audit_erased (
    id       bigint primary key,
    personal bytea,
    hidden   bytea
  );
  comment on table audit_erased is 'Digests of what erasures removed from sealed entries. Their salts are deleted.';

  create table audit_exports (
    destination text primary key,
    exported    bigint not null default 0,
    fence       integer not null default 0,
    failures    integer not null default 0,
    problem     text,
    due_at      timestamptz not null
  );
  comment on column audit_exports.exported is 'The number of the last block that the destination has acknowledged.';
  comment on column audit_exports.due_at is 'Nobody but its holder exports before then.';

  create table audit_sealing (
    single  boolean primary key default true check (single),
    horizon bigint not null
  );
  comment on column audit_sealing.horizon is 'All entries up to this ID are sealed.';
  insert into audit_sealing (horizon) values (0);

  -- Only what the retention entry at the end of its chain drops.
  create function refuse_removal_but_retention() returns trigger language plpgsql as $$
    begin
      if (
        select kind = 'retention' and (body ->> 'throughId')::bigint >= old.id
        from audit_blocks where chain = coalesce(old.tenant, '') order by last desc limit 1
      ) then return old; end if;
      raise exception 'the audit is only ever added to';
    end
  $$;
  create or replace trigger audit_insert_only before delete on audit
    for each row execute function refuse_removal_but_retention();
`
