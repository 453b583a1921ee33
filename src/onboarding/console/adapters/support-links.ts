// Links of one integration. Most of an index on it would be rewritten with every move of a link, so links_by_integration
// holds those alone that nobody is at any more; the others are few, and links_due finds them.
import { type Queryable, type Sql, sql } from '../../../kit/database/sql.ts'
import { type Cursor, newestPage } from '../../adapters/postgres/page-of.ts'
import { LinkRow, linkColumns } from '../../provisioning/adapters/postgres/rows.ts'

/** Newest first. `wanted` names the integration. */
export function linksOfIntegration(db: Queryable, wanted: Sql, page: Cursor) {
  const after = page.cursor === undefined ? sql`` : sql`and id < ${page.cursor}`
  const newest = (which: Sql) =>
    sql`(select * from links where ${wanted} and ${which} ${after} order by id desc limit ${page.limit + 1})`
  const both = sql`${newest(sql`due_at is null`)} union all ${newest(sql`due_at is not null`)}`
  return newestPage(db, LinkRow, sql`select ${linkColumns} from (${both}) as links where true`, page)
}
