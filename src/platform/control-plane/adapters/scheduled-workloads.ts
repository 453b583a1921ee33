import type pg from 'pg'
import { rows, sql } from '../../../kit/database/sql.ts'
import type { Resource } from '../domain/resource.ts'
import { columns, ResourceRow } from './resource-rows.ts'

/** Those with a schedule, of all workspaces, by the index `resources_with_cron` that contains no others. */
export const postgresScheduledWorkloads =
  (pool: pg.Pool) =>
  (kind: 'agent' | 'job'): Promise<Resource[]> =>
    rows(
      pool,
      ResourceRow,
      sql`select ${columns} from resources
        where kind = ${sql.literal(kind)} and spec @> '{"triggers": [{"type": "cron", "enabled": true}]}'
          and status = 'DEPLOYED'`,
    )
