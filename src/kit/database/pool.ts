import type pg from 'pg'
import { connectionCode, describeConnection, isCertificateProblem } from '../fetch/connection-problem.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { StartError } from '../process/start-error.ts'
import { columnTypes } from './column-types.ts'
import { TimedPool } from './timed-pool.ts'

export type PoolOptions = {
  connections?: number
  statementTimeoutMs?: number
  /** What the server knows the connections by. */
  name?: string
}

export function openPool(url: string, options: PoolOptions = {}): pg.Pool {
  const config = {
    connectionString: options.name === undefined ? url : withoutName(url),
    types: columnTypes,
    ...(options.name !== undefined && { application_name: options.name }),
    max: options.connections ?? 10,
    idleTimeoutMillis: 0, // kept open: a timer for each use would cost more than a connection at rest
    // A hung server must not hold requests: both ends give up, the server first.
    statement_timeout: options.statementTimeoutMs ?? 5_000,
    query_timeout: (options.statementTimeoutMs ?? 5_000) + 1_000,
    idle_in_transaction_session_timeout: 10_000,
    keepAlive: true,
  }
  const pool = new TimedPool(config, 3_000)
  // Unheard, the event would end the process.
  pool.on('error', ignoreError('an idle connection that breaks is replaced by the pool'))
  return pool
}

/** One in the address would take the place of ours. */
function withoutName(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.searchParams.delete('application_name')
  return url.href
}

export async function databaseAnswers(pool: pg.Pool): Promise<boolean> {
  try {
    await pool.query('select 1')
    return true
  } catch {
    return false
  }
}

/** Waits for a server that is just starting; refuses with one line when none answers in time. */
export async function awaitDatabase(pool: pg.Pool, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const failed = await pool.query('select 1').then(
      () => undefined,
      (error: Error & { code?: string }) => error,
    )
    if (!failed) return
    // 28… is a wrong password, 3D000 a missing database: waiting does not mend them.
    if (/^(28|3D)/.test(failed.code ?? '')) throw new StartError(`DATABASE_URL: ${failed.message}`)
    const code = connectionCode(failed)
    const why = code ? ` (${describeConnection(code)})` : ''
    if (code && isCertificateProblem(code)) throw new StartError(`DATABASE_URL: PostgreSQL cannot be trusted${why}`)
    if (/does not support SSL/.test(failed.message)) {
      throw new StartError('DATABASE_URL: this PostgreSQL does not speak TLS: leave out sslmode, or turn TLS on there')
    }
    if (Date.now() > deadline) throw new StartError(`DATABASE_URL: no PostgreSQL answers there${why}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
