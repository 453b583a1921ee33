import { z } from 'zod'
import { type Queryable, row, sql } from '../../../kit/database/sql.ts'

const Durability = z.object({ commits: z.string(), isAwaited: z.boolean(), isFollowed: z.boolean() })

/** A role without `pg_monitor` also sees that a standby follows. */
export async function unawaitedCommits(db: Queryable): Promise<string | undefined> {
  const found = await row(
    db,
    Durability,
    sql`
      select current_setting('synchronous_commit') as commits,
        current_setting('synchronous_standby_names') <> '' as "isAwaited",
        exists (select from pg_stat_replication) as "isFollowed"`,
  )
  if (found?.commits === 'off') return 'synchronous_commit is off: a crash of PostgreSQL loses the last commits.'
  const isAlone = !found?.isAwaited || found.commits === 'local'
  return found?.isFollowed && isAlone
    ? 'A standby follows PostgreSQL, and commits do not wait for it: a failover loses the last ones. Set synchronous_standby_names.'
    : undefined
}
