// Resources of all workspaces at once.
import type pg from 'pg'
import { z } from 'zod'
import { rows, sql } from '../../../kit/database/sql.ts'
import type { Resource } from '../domain/resource.ts'
import { columns, ResourceRow } from './resource-rows.ts'

const Named = z.object({ workspace: z.string(), name: z.string() })

/** Connections to some integrations, of every workspace. */
export const postgresConnectionsTo =
  (pool: pg.Pool) =>
  (integrations: readonly string[]): Promise<Array<z.output<typeof Named>>> =>
    rows(
      pool,
      Named,
      sql`select workspace, name from resources
        where kind = 'integrationconnection' and spec ->> 'integration' = any(${[...integrations]}::text[])`,
    )

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
