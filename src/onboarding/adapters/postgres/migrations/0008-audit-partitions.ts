import { type Migration, migration } from '../../../../kit/database/migrations.ts'

/** IDs from before the first partition of a month. */
const bound = '1000000000000000'

/**
 * A partition has the IDs of one month: the sequence is set forward to 202611 * 10^10 when November 2026 begins, after
 * the partition was committed. So an ID that is given out always has a partition, and the clock decides only when a
 * partition ends. What was written before is the partition 000000.
 *
 * Blocks are partitioned by the month of their entries, so both are dropped together. Blocks of other kinds are few, and
 * have no month.
 */
const partitions = `
  do $$
  declare
    known record;
    written bigint;
  begin
    lock table audit;
    select case when is_called then last_value else 0 end into written from audit_id_seq;
    alter table audit alter column id drop identity;
    alter table audit rename to audit_000000;
    drop trigger audit_insert_only on audit_000000;
    drop trigger audit_changed_by_erasures_alone on audit_000000;
    create table audit (like audit_000000 including comments including defaults) partition by range (id);
    alter table audit alter column id add generated always as identity;
    alter table audit add constraint audit_check check ((subject_kind is null) = (subject_id is null));
    for known in
      select relname as name, pg_get_indexdef(indexrelid) as definition, indisprimary as is_primary
      from pg_index join pg_class on pg_class.oid = indexrelid where indrelid = 'audit_000000'::regclass
    loop
      execute format('alter index %I rename to %I', known.name, '000000_' || known.name);
      if known.is_primary then
        alter table audit add primary key (id);
      else
        execute regexp_replace(known.definition, ' ON (\\S+)audit_000000 ', ' ON \\1audit ');
      end if;
    end loop;
    alter table audit attach partition audit_000000 for values from (minvalue) to (${bound});
    alter table audit_000000 drop constraint audit_old_ids;
    if written > 0 then perform setval('audit_id_seq', written); end if;
  end $$;

  drop function refuse_removal_but_retention();
  create trigger audit_insert_only before delete on audit for each row execute function refuse_change();
  create trigger audit_changed_by_erasures_alone before update on audit
    for each row execute function refuse_change_but_erasure();
  create trigger audit_never_emptied before truncate on audit
    for each statement execute function refuse_change();

  alter table audit_blocks rename to audit_blocks_unpartitioned;
  alter table audit_blocks_unpartitioned rename constraint audit_blocks_pkey to audit_blocks_unpartitioned_pkey;
  drop index audit_blocks_by_number;
  create table audit_blocks (
    number    bigint not null,
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
    entry     bigint not null default 0,
    primary key (chain, last, entry)
  ) partition by range (entry);
  alter table audit_blocks alter column leaves set storage external, alter column salts set storage external;
  create index audit_blocks_by_number on audit_blocks (number);
  comment on column audit_blocks.number is 'In order of the commits, because one process seals at a time. Exports go by it.';
  comment on column audit_blocks.last is 'The position in the chain of its last leaf.';
  comment on column audit_blocks.entry is 'The ID of its last entry. 0: it has none.';
  create table audit_blocks_special partition of audit_blocks for values from (minvalue) to (1);
  create table audit_blocks_000000 partition of audit_blocks for values from (1) to (${bound});
  insert into audit_blocks
    select number, chain, last, first, kind, ids, leaves, salts, body, hash, sealed_at, kid, signature,
      coalesce(ids[cardinality(ids)], 0)
    from audit_blocks_unpartitioned;
  drop table audit_blocks_unpartitioned;
  alter table audit_blocks alter column number add generated always as identity;
  select setval('audit_blocks_number_seq', max(number)) from audit_blocks having max(number) > 0;

  create function audit_month_after(month integer) returns integer language sql immutable as $$
    select case when month = 0 then 100000 when month % 100 = 12 then month + 89 else month + 1 end
  $$;
  create function audit_month_start(month integer) returns bigint language sql immutable as $$
    select month * 10000000000::bigint
  $$;

  create function audit_month_of(id bigint) returns integer language sql immutable as $$
    select case when id < audit_month_start(100000) then 0 else (id / 10000000000)::integer end
  $$;

  -- Without a lock that a writer waits for, unlike 'create table … partition of'. Returns whether it made one.
  create function add_audit_partition(month integer) returns boolean language plpgsql as $$
  declare
    part text;
    name text;
  begin
    if to_regclass('audit_' || month) is not null then return false; end if;
    foreach part in array array['audit', 'audit_blocks'] loop
      name := part || '_' || month;
      execute format('create table %I (like %I including comments including constraints including defaults including storage)', name, part);
      execute format('alter table %I attach partition %I for values from (%s) to (%s)', part, name,
        audit_month_start(month), audit_month_start(audit_month_after(month)));
    end loop;
    execute format('create trigger audit_never_emptied before truncate on %I for each statement execute function refuse_change()',
      'audit_' || month);
    return true;
  end $$;

  -- The sequence does not roll back, so it is not set in a transaction that made a partition. A statement that began
  -- before does not see that partition, so the lock waits for all writers. More entries than IDs of a month go on in the
  -- next one, so two are always ready.
  create function begin_audit_month(day date) returns boolean language plpgsql as $$
  declare
    begun integer := to_char(day, 'YYYYMM');
    next integer;
    made boolean;
  begin
    perform pg_advisory_xact_lock(20261119);
    select audit_month_after(greatest(begun, audit_month_of(last_value))) into next from audit_id_seq;
    made := add_audit_partition(begun);
    made := add_audit_partition(next) or made;
    made := add_audit_partition(audit_month_after(next)) or made;
    if not made and audit_month_of((select last_value from audit_id_seq)) < begun then
      perform set_config('lock_timeout', '500ms', true);
      lock table audit in share mode;
      perform setval('audit_id_seq', audit_month_start(begun));
    end if;
    return made;
  exception when lock_not_available then
    return false;
  end $$;

  -- With the owner's rights, because the program's role may not create tables.
  create function continue_audit_months() returns boolean
  language sql security definer set search_path from current set lock_timeout = '2s' as $$
    select begin_audit_month(greatest(now() at time zone 'UTC', '2026-01-01')::date)
  $$;

  -- Skips from chain to chain in the primary key of the month, whose blocks may be many.
  create function audit_month_ends(month integer)
  returns table (chain text, through bigint, hash bytea, entry bigint) language plpgsql stable as $$
  begin
    return query execute replace('
      with recursive ends as (
        (select chain, last, hash, entry from blocks order by chain desc, last desc limit 1)
        union all
        select next.* from ends cross join lateral (
          select chain, last, hash, entry from blocks where chain < ends.chain order by chain desc, last desc limit 1
        ) as next
      )
      select * from ends', 'blocks', 'audit_blocks_' || lpad(month::text, 6, '0'));
  end $$;

  -- Also with the owner's rights. Drops only the oldest month, and only if retention entries name all its blocks.
  create function drop_audit_month(month integer) returns void
  language plpgsql security definer set search_path from current set lock_timeout = '500ms' as $$
  declare
    suffix text := lpad(month::text, 6, '0');
    past bigint := audit_month_start(audit_month_after(month));
  begin
    if not exists (select from audit_sealing where horizon >= past - 1)
      or exists (select from audit where id < audit_month_start(month) and month > 0)
      or exists (
        select from audit_month_ends(month) as sealed
        where not exists (
          select from audit_blocks where chain = sealed.chain and entry = 0 and kind = 'retention'
            and (body ->> 'through')::bigint >= sealed.through
        )
      )
    then raise exception 'the audit is only ever added to'; end if;
    execute format('drop table %I', 'audit_' || suffix);
    execute format('drop table %I', 'audit_blocks_' || suffix);
  end $$;
`

export const auditPartitions: readonly Migration[] = [
  // The check proves the bounds of the first partition, so that the last step does not read the rows.
  migration(
    '0008-audit-ids',
    '0.3.0',
    `alter table audit add constraint audit_old_ids check (id < ${bound}) not valid;`,
  ),
  migration('0008-audit-ids-valid', '0.3.0', 'alter table audit validate constraint audit_old_ids;'),
  migration('0008-audit-partitions', '0.3.0', partitions),
]
