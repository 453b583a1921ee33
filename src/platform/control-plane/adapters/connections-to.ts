import type pg from 'pg'
import { z } from 'zod'
import { rows, sql } from '../../../kit/database/sql.ts'

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
