import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { type Migration, type MigrationOptions, migrate } from './migrations.ts'
import { awaitDatabase } from './pool.ts'
import { StoreUnavailable } from './store-errors.ts'

type Options = MigrationOptions & { waitMs: number }

/** Waits for a server that is starting, then applies the missing migrations and returns their names. */
export function prepareDatabase(
  pool: pg.Pool,
  migrations: readonly Migration[],
  { waitMs, ...options }: Options,
): Promise<string[]> {
  return retryWhileUnavailable(waitMs, async (leftMs) => {
    await awaitDatabase(pool, leftMs)
    return migrate(pool, migrations, options)
  })
}

/** A server that has just started on a busy machine may time out once more. */
export async function retryWhileUnavailable<T>(waitMs: number, work: (leftMs: number) => Promise<T>): Promise<T> {
  const deadline = Date.now() + waitMs
  for (;;) {
    try {
      return await work(Math.max(0, deadline - Date.now()))
    } catch (error) {
      if (!(error instanceof StoreUnavailable) || Date.now() > deadline) throw error
    }
    await pause(100)
  }
}
