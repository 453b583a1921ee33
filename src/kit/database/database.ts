// Apart from the pool, because the library of typed queries takes a while to load: who writes SQL starts without it.
import { Kysely, PostgresDialect } from 'kysely'
import type pg from 'pg'
import { openPool, type PoolOptions } from './pool.ts'

export type Database<Schema> = Kysely<Schema>

export type OpenDatabase<Schema> = { db: Database<Schema>; pool: pg.Pool; close(): Promise<void> }

export function openDatabase<Schema>(url: string, options: PoolOptions = {}): OpenDatabase<Schema> {
  const pool = openPool(url, options)
  const db = new Kysely<Schema>({ dialect: new PostgresDialect({ pool }) })
  // Kysely ends the pool only if it has used it itself.
  const close = async () => {
    await db.destroy()
    if (!pool.ended) await pool.end()
  }
  return { db, pool, close }
}
