import { type Migration, migration } from '../../../../kit/database/migrations.ts'

/** Numbers from before the first partition of a week. */
const bound = '1000000000000000'

/**
 * A partition has the numbers of one week, as in the audit of onboarding: the sequence is set forward to 20261116 * 10^8
 * when the week of that Monday begins. Its partition was committed earlier, so each number has one.
 *
 * `keep_tool_calls` runs with the owner's rights, because the program's role may not create or drop tables.
 */
const partitions = `
  do $$
  declare written bigint;
  begin
    lock table tool_calls;
    select case when is_called then last_value else 0 end into written from tool_calls_id_seq;
    alter table tool_calls alter column id drop identity;
    alter table tool_calls rename to tool_calls_00000000;
    alter index tool_calls_pkey rename to tool_calls_00000000_pkey;
    alter index tool_calls_by_function rename to tool_calls_00000000_by_function;
    drop index tool_calls_by_age;
    create table tool_calls (like tool_calls_00000000 including defaults) partition by range (id);
    alter table tool_calls alter column id add generated always as identity;
    alter table tool_calls add primary key (id);
    alter table tool_calls add foreign key (workspace) references workspaces on delete cascade;
    create index tool_calls_by_function on tool_calls (workspace, function_name, id);
    alter table tool_calls attach partition tool_calls_00000000 for values from (minvalue) to (${bound});
    alter table tool_calls_00000000 drop constraint tool_calls_old_ids;
    if written > 0 then perform setval('tool_calls_id_seq', written); end if;
  end $$;

  create function tool_call_week_start(week date) returns bigint language sql stable as $$
    select to_char(week, 'YYYYMMDD')::bigint * 100000000
  $$;

  -- Without a lock that a writer waits for, unlike 'create table … partition of'. Returns whether it made one.
  create function add_tool_call_partition(week date) returns boolean language plpgsql as $$
  declare
    name text := 'tool_calls_' || to_char(week, 'YYYYMMDD');
  begin
    if to_regclass(name) is not null then return false; end if;
    execute format('create table %I (like tool_calls including defaults)', name);
    execute format('alter table tool_calls attach partition %I for values from (%s) to (%s)', name,
      tool_call_week_start(week), tool_call_week_start(week + 7));
    return true;
  end $$;

  -- The sequence does not roll back, so it is not set in a transaction that made a partition. A statement that began
  -- before does not see that partition, so the lock waits for all writers. More calls than numbers of a week go on in the
  -- next one, so two are always ready.
  create function begin_tool_call_week(day date) returns boolean language plpgsql as $$
  declare
    begun date := date_trunc('week', day);
    written bigint;
    next date;
    made boolean;
  begin
    perform pg_advisory_xact_lock(20261120);
    select last_value into written from tool_calls_id_seq;
    next := begun + 7;
    while tool_call_week_start(next) <= written loop next := next + 7; end loop;
    made := add_tool_call_partition(begun);
    made := add_tool_call_partition(next) or made;
    made := add_tool_call_partition(next + 7) or made;
    if not made and written < tool_call_week_start(begun) then
      perform set_config('lock_timeout', '500ms', true);
      lock table tool_calls in share mode;
      perform setval('tool_calls_id_seq', tool_call_week_start(begun));
    end if;
    return made;
  exception when lock_not_available then
    return false;
  end $$;

  create function forget_tool_calls(days integer) returns void language plpgsql as $$
  declare
    oldest record;
  begin
    for oldest in
      select name, case week when '00000000' then ${bound} else tool_call_week_start(week::date + 7) end as past
      from (
        select relname as name, right(relname, 8) as week from pg_inherits join pg_class on pg_class.oid = inhrelid
        where inhparent = 'tool_calls'::regclass order by relname
      ) as partitions
    loop
      exit when not exists (select from tool_calls_id_seq where last_value >= oldest.past);
      exit when (select at from tool_calls where id < oldest.past order by id desc limit 1)
        >= now() - make_interval(days => days);
      execute format('drop table %I', oldest.name);
    end loop;
  end $$;

  create function keep_tool_calls(days integer) returns boolean
  language plpgsql security definer set search_path from current set lock_timeout = '500ms' as $$
  begin
    perform forget_tool_calls(greatest(days, 1));
    return begin_tool_call_week(greatest(now() at time zone 'UTC', '2026-01-01')::date);
  end $$;
`

export const toolCallPartitions: readonly Migration[] = [
  // The check proves the bounds of the first partition, so that the last step does not read the rows.
  migration(
    '0010-tool-call-ids',
    '0.3.0',
    `alter table tool_calls add constraint tool_calls_old_ids check (id < ${bound}) not valid;`,
  ),
  migration('0010-tool-call-ids-valid', '0.3.0', 'alter table tool_calls validate constraint tool_calls_old_ids;'),
  migration('0010-tool-call-partitions', '0.3.0', partitions),
]
