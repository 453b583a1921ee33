/** As in the database of onboarding: temporary tables must not come before those that the owner means. */
export const fixedSearchPaths = `
  do $$
  declare
    privileged regprocedure;
  begin
    foreach privileged in array array['gram_frequencies()', 'keep_tool_calls(integer)']::regprocedure[] loop
      execute format('alter function %s set search_path = %I, pg_temp', privileged, current_schema());
    end loop;
  end $$;
`
