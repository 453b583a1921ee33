import type pg from 'pg'
import { z } from 'zod'
import { stored } from '../../../kit/database/stored.ts'
import type { RemovedFolders } from '../domain/sandbox.ts'

const Rows = z.array(z.object({ kind: z.enum(['sandbox', 'volume', 'drive']), workspace: z.string(), id: z.string() }))

/** A machine that was away for longer keeps what it should have removed. */
const keptDays = 30

export const postgresRemovedFolders = (pool: pg.Pool): RemovedFolders => ({
  async since(time) {
    const { rows } = await pool.query('select kind, workspace, id from removed_folders where removed_at >= $1', [time])
    return stored(Rows, rows)
  },

  async sweep() {
    await pool.query('delete from removed_folders where removed_at < now() - make_interval(days => $1)', [keptDays])
  },
})
