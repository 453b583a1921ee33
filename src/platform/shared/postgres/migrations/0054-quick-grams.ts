import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * The same grams as before at a fraction of the cost, which was the largest part of a create: a function that is one
 * query is set up anew for every row. Those that come twice are left to the index, which keeps each once.
 */
export const quickGrams: Migration = {
  name: '0054-quick-grams',
  sql: `
    create or replace function search_grams(search text) returns text[]
    language plpgsql immutable strict parallel safe as $$
    declare
      grams text[];
    begin
      for start in 1 .. length(search) - 1 loop
        -- One at a time: the server then adds in place, also to an array that is long already.
        grams := array_append(grams, substr(search, start, 2));
        grams := array_append(grams, substr(search, start, 3));
      end loop;
      return grams;
    end $$;`,
}
