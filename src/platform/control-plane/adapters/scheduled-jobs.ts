import type pg from 'pg'
import type { Resource } from '../domain/resource.ts'
import { columns, toResource } from './resource-rows.ts'

/** Jobs with a schedule, of all workspaces, by the index `resources_with_cron` that contains no others. */
export const postgresScheduledJobs = (pool: pg.Pool) => async (): Promise<Resource[]> => {
  const { rows } = await pool.query(
    `select ${columns} from resources
     where kind = 'job' and spec @> '{"triggers": [{"type": "cron", "enabled": true}]}' and status = 'DEPLOYED'`,
  )
  return rows.map(toResource)
}
