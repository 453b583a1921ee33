import { z } from 'zod'
import { execute, type Queryable, rows, sql } from '../../../kit/database/sql.ts'
import type { SavedViews } from '../../domain/ports/support-ledger.ts'

export const savedViews = (db: Queryable): SavedViews => ({
  of: ({ subject, list }) =>
    rows(
      db,
      ViewRow,
      sql`
        select name, query from console_views where subject = ${subject} and list = ${list}
        order by lower(name), name`,
    ),

  save: async ({ subject, list }, { name, query }, max) =>
    (await execute(
      db,
      sql`
        insert into console_views (subject, list, name, query)
        select ${subject}, ${list}, ${name}, ${query} where ${max} > (
          select count(*) from console_views where subject = ${subject} and list = ${list} and name <> ${name}
        )
        on conflict (subject, list, name) do update set query = excluded.query`,
    )) === 1,

  remove: async ({ subject, list }, name) =>
    void (await execute(
      db,
      sql`delete from console_views where subject = ${subject} and list = ${list} and name = ${name}`,
    )),
})

const ViewRow = z.object({ name: z.string(), query: z.string() })
