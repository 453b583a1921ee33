import { indexStep, type Migration, migration } from '../../../../kit/database/migrations.ts'

const namesOf = (table: string) =>
  migration(
    `0005-alias-and-labels-of-${table.replace('_', '-')}`,
    '0.3.0',
    `alter table ${table} add column alias text, add column labels jsonb;`,
  )

export const namesAndScopes: readonly Migration[] = [
  namesOf('connections'),
  namesOf('import_rows'),
  namesOf('links'),
  migration(
    '0005-aliases-out-of-the-audit',
    '0.3.0',
    `
    create function lacks_only_names(now jsonb, before jsonb) returns boolean language sql immutable as $$
      select now is not distinct from before or (
        now - array['account', 'alias'] = before - array['account', 'alias']
        and coalesce(now -> 'account', 'null') in ('null', before -> 'account')
        and coalesce(now -> 'alias', 'null') in ('null', before -> 'alias')
      )
    $$;
    create or replace function refuse_change_but_erasure() returns trigger language plpgsql as $$
      declare changeable constant text[] := array['reason', 'address', 'before', 'after', 'erasure'];
      begin
        if to_jsonb(new) - changeable = to_jsonb(old) - changeable
          and new.reason is null
          and (new.address is null or new.address = old.address)
          and lacks_only_names(new.before, old.before) and lacks_only_names(new.after, old.after)
          and exists (select from erasures where id = new.erasure and tenant = old.tenant and step = 'erasing')
        then return new; end if;
        raise exception 'the audit is only ever added to';
      end
    $$;`,
  ),
  indexStep(
    '0005-connections-by-alias',
    `connections_by_alias on connections (tenant, end_user_id, integration, alias)
      where alias is not null and status <> 'disconnected'`,
    { isUnique: true },
  ),
  // Without empty labels, so that a link without labels does not write to it.
  indexStep(
    '0005-connections-by-labels',
    'connections_by_labels on connections using gin (labels jsonb_path_ops) where labels is not null',
  ),
  migration(
    '0005-names-and-scopes-of-sessions',
    '0.3.0',
    'alter table connect_sessions add column alias text, add column labels jsonb, add column scopes text[];',
  ),
]
