import type pg from 'pg'
import type { Resource } from '../domain/resource.ts'
import { columns, toResource } from './resource-rows.ts'

/** Jobs of all workspaces that a clock starts, by an index that holds no others. */
export const postgresScheduledJobs = (pool: pg.Pool) => async (): Promise<Resource[]> => {
  const { rows } = await pool.query(
    `select ${columns} from resources
     where kind = 'job' and spec @> '{"triggers": [{"type": "cron", "enabled": true}]}' and status = 'DEPLOYED'`,
  )
  return rows.map(toResource)
}
