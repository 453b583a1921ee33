// PgBouncer and similar poolers between the program and PostgreSQL. In transaction mode each transaction gets any of
// the pooler's connections, so nothing may be left on one: no prepared statement, setting or session lock.
import pg from 'pg'
import { ignoreError } from '../process/ignore-error.ts'
import { StartError } from '../process/start-error.ts'

export const poolers = ['transaction'] as const
export type Pooler = (typeof poolers)[number]

const transactionPools = new WeakSet<pg.Pool>()

export const noteTransactionPool = (pool: pg.Pool): void => void transactionPools.add(pool)

export const isTransactionPool = (pool: pg.Pool): boolean => transactionPools.has(pool)

/** Throws if the setting does not match the pooler. */
export async function assertPooler(pool: pg.Pool): Promise<void> {
  if (isTransactionPool(pool)) return assertLimits(pool)
  if ((await isDirect(pool)) || (await keepsConnections(pool))) return
  throw new StartError(
    'DATABASE_URL: this is a connection pooler in transaction mode: set DATABASE_POOLER=transaction for the programs, and give migrate the address of PostgreSQL itself',
  )
}

/** Settings cannot be sent with a connection that others use next. */
async function assertLimits(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query(`
    select quote_ident(current_user) as role, 0::text in (
      current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')
    ) as "isUnlimited"`)
  const [{ role, isUnlimited }] = rows
  if (!isUnlimited) return
  throw new StartError(
    `DATABASE_POOLER: with a pooler in transaction mode the role needs its own limits: alter role ${role} set statement_timeout = '5s'; alter role ${role} set idle_in_transaction_session_timeout = '10s'; then restart the pooler`,
  )
}

/** A pooler makes up the process ID that it sends to clients. */
async function isDirect(pool: pg.Pool): Promise<boolean> {
  const client = await pool.connect()
  try {
    return (await backendOf(client)) === (client as { processID?: number }).processID
  } finally {
    client.release()
  }
}

const backendOf = async (client: pg.ClientBase): Promise<number> =>
  (await client.query('select pg_backend_pid() as pid')).rows[0].pid

/** Two clients use two connections at the same time, twice. Poolers pick the last or the longest idle one. */
async function keepsConnections(pool: pg.Pool): Promise<boolean> {
  const one = new pg.Client(pool.options)
  const other = new pg.Client(pool.options)
  for (const client of [one, other]) client.on('error', ignoreError('its query fails'))
  const inTurn = async (clients: pg.Client[]) => {
    const backends = new Map<pg.Client, number>()
    for (const client of clients) {
      await client.query('begin')
      backends.set(client, await backendOf(client))
    }
    for (const client of [one, other]) await client.query('commit')
    return [backends.get(one), backends.get(other)].join()
  }
  try {
    await Promise.all([one.connect(), other.connect()])
    const first = await inTurn([one, other])
    return (await inTurn([one, other])) === first && (await inTurn([other, one])) === first
  } catch {
    return true // too few connections to tell
  } finally {
    await Promise.all([one.end(), other.end()])
  }
}
