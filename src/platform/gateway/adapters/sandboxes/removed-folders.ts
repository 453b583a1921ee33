import type pg from 'pg'
import { z } from 'zod'
import { execute, rows, sql } from '../../../../kit/database/sql.ts'
import type { RemovedFolders } from '../../domain/sandbox/sandbox.ts'

const Row = z.object({ kind: z.enum(['sandbox', 'volume', 'drive']), workspace: z.string(), id: z.string() })

const keptDays = 30

export const postgresRemovedFolders = (pool: pg.Pool): RemovedFolders => ({
  since: (time) => rows(pool, Row, sql`select kind, workspace, id from removed_folders where removed_at >= ${time}`),

  async sweep() {
    await execute(pool, sql`delete from removed_folders where removed_at < now() - make_interval(days => ${keptDays})`)
  },
})
