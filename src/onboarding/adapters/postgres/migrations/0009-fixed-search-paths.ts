/**
 * Temporary tables come last in the search path only if it names `pg_temp`. Otherwise a role that may create them could
 * put its own in place of those that a function with the owner's rights reads.
 */
export const fixedSearchPaths = `
  do $$
  declare
    privileged regprocedure;
  begin
    foreach privileged in array array['continue_audit_months()', 'drop_audit_month(integer)']::regprocedure[] loop
      execute format('alter function %s set search_path = %I, pg_temp', privileged, current_schema());
    end loop;
  end $$;
`
