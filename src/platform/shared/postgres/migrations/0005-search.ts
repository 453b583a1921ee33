import type { Migration } from '../../../../kit/database/migrations.ts'

/**
 * Search by pairs and triples of characters. pg_trgm cannot look for two characters at all, and for more it visits
 * every triple of the query, the commonest as well; with our own index a search names only the rarest of them,
 * which the statistics of the index tell.
 */
export const search: Migration = {
  name: '0005-search',
  sql: `
    drop index resources_by_search;

    create function search_grams(search text) returns text[] language sql immutable strict parallel safe as $$
      select array_agg(distinct substr(search, start, size))
      from generate_series(1, length(search) - 1) start, (values (2), (3)) sizes (size)
    $$;

    create index resources_by_gram on resources using gin (search_grams(search));`,
}
