import type { EventEmitter } from 'node:events'
import pg from 'pg'
import { connectionCode, describeConnection, isCertificateProblem } from '../fetch/connection-problem.ts'
import { ignoreError } from '../process/ignore-error.ts'
import { StartError } from '../process/start-error.ts'
import { cancelStatement } from './cancel-statement.ts'
import { openCircuit } from './circuit.ts'
import { columnTypes } from './column-types.ts'
import { type ConnectionServers, connectionServers } from './connection-servers.ts'
import { assertPooler, noteTransactionPool, type Pooler } from './pooler.ts'
import { type PrimaryWatch, serversIn, watchPrimary } from './servers.ts'
import { classifyPostgresError } from './store-errors.ts'

const maxLifeSeconds = 30 * 60

export type PoolOptions = {
  connections?: number
  statementTimeoutMs?: number
  /** `application_name` of the connections. */
  name?: string
  /** The mode of a pooler that shares its connections. */
  pooler?: Pooler | undefined
  /** Without one, only this pool knows which primary is the newest. */
  primary?: PrimaryWatch
}

export function openPool(url: string, options: PoolOptions = {}): pg.Pool {
  const statementTimeoutMs = options.statementTimeoutMs ?? 5_000
  const limits = `set statement_timeout = ${statementTimeoutMs}; set idle_in_transaction_session_timeout = 10000`
  const isShared = options.pooler === 'transaction'
  const addresses = serversIn(url).map((each) => (options.name === undefined ? each : withoutName(each)))
  const servers = connectionServers(addresses, options.primary ?? watchPrimary())
  const pool = new StorePool(servers, {
    Client: servers.clients(isShared ? UnnamedClient : StoreClient),
    connectionString: addresses[0],
    types: columnTypes,
    ...(options.name !== undefined && { application_name: options.name }),
    max: options.connections ?? 10,
    idleTimeoutMillis: 0, // an idle timer for each use costs more than an open connection
    maxLifetimeSeconds: maxLifeSeconds, // a pool follows an address that leads elsewhere
    connectionTimeoutMillis: 2_500, // for a free connection or a new one, tried at least twice
    // The server gives up first, then the client.
    query_timeout: statementTimeoutMs + 1_000,
    // Not in the startup message, which PgBouncer would reject.
    ...(!isShared && {
      onConnect: async (client) => {
        await client.query(limits)
        await servers.admit(client)
      },
    }),
    keepAlive: true,
  })
  // Without a listener the event ends the process.
  pool.on('error', ignoreError('an idle connection that breaks is replaced by the pool'))
  pool.on('connect', (client: EventEmitter) => client.on('given up', () => (pool as EventEmitter).emit('given up')))
  if (isShared) noteTransactionPool(pool)
  return pool
}

/** A name in the URL would override ours. */
function withoutName(address: string): string {
  if (!URL.canParse(address)) return address
  const url = new URL(address)
  url.searchParams.delete('application_name')
  return url.href
}

/** Waits for a server that is starting. Fails with one line after the timeout. */
export async function awaitDatabase(pool: pg.Pool, timeoutMs: number): Promise<void> {
  const deadline = Date.now() + timeoutMs
  for (;;) {
    const failed = await assertPooler(pool).then(
      () => undefined,
      (error: PostgresError) => error,
    )
    if (!failed) return
    if (failed instanceof StartError) throw failed
    const problem = lastingProblem(failed)
    if (problem) throw new StartError(`DATABASE_URL: ${problem}`)
    if (Date.now() > deadline) throw new StartError(`DATABASE_URL: no PostgreSQL answers there${reason(failed)}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

type PostgresError = Error & { code?: string }

/** Errors that waiting does not fix. */
function lastingProblem(failed: PostgresError): string | undefined {
  // Class 28 is a wrong password, 3D000 a missing database.
  if (/^(28|3D)/.test(failed.code ?? '')) return failed.message
  const code = connectionCode(failed)
  if (code && isCertificateProblem(code)) return `PostgreSQL cannot be trusted${reason(failed)}`
  if (/does not support SSL/.test(failed.message)) {
    return 'this PostgreSQL does not support TLS: remove sslmode, or enable TLS on the server'
  }
  if (/^(unsupported startup parameter|no such (database|user))/.test(failed.message)) {
    return `the connection pooler there answers: ${failed.message}`
  }
  return undefined
}

function reason(failed: PostgresError): string {
  // PgBouncer uses 08P01 for everything, also if its server is away.
  if (failed.code === '08P01') return ` (the connection pooler there answers: ${failed.message})`
  const code = connectionCode(failed)
  return code ? ` (${describeConnection(code)})` : ''
}

type ConnectCallback = Parameters<typeof pg.Pool.prototype.connect>[0]

class StorePool extends pg.Pool {
  readonly #host: string
  readonly #servers: ConnectionServers
  readonly #circuit = openCircuit()

  constructor(servers: ConnectionServers, config: pg.PoolConfig) {
    super(config)
    this.#servers = servers
    this.#host = servers.host
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    // At least twice: after a pause of the machine the first timeout may be false.
    const tries = Math.max(2, this.#servers.count)
    if (callback) return this.#ask(callback, tries)
    return new Promise((resolve, reject) => {
      this.#ask((error, client) => (client ? resolve(client) : reject(error)), tries)
    })
  }

  #ask(callback: ConnectCallback, tries: number): undefined {
    const refusal = this.#circuit.refusal()
    if (refusal) return void process.nextTick(callback, refusal, undefined, () => undefined)
    this.#connect((error, client, done) => {
      this.#circuit.note(error)
      callback(error, client, done)
    }, tries)
  }

  #connect(callback: ConnectCallback, tries: number): void {
    super.connect((error, client, done) => {
      const mayHelp = error && (this.#servers.count > 1 || /timeout/.test(error.message))
      if (mayHelp && tries > 1) return this.#connect(callback, tries - 1)
      if (client && !this.#servers.isCurrent(client)) {
        done(true)
        return this.#connect(callback, tries)
      }
      callback(error && classifyPostgresError(error, this.#host), client, done)
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: one signature for all overloads of the driver
  override query(...args: any[]): any {
    return withMappedError(
      args,
      (given) => super.query(...(given as [string])),
      (error) => classifyPostgresError(error, this.#host),
    )
  }
}

class StoreClient extends pg.Client {
  constructor(config?: string | pg.ClientConfig) {
    super(config)
    // A connection that breaks in use emits this event, which without a listener ends the process.
    this.on('error', ignoreError('the query that used the connection fails'))
  }

  #giveUp(): void {
    cancelStatement(this)
    void this.end()
    this.emit('given up')
  }

  // biome-ignore lint/suspicious/noExplicitAny: one signature for all overloads of the driver
  override query(...args: any[]): any {
    return withMappedError(
      args,
      (given) => super.query(...(given as [string])),
      (error) => {
        // Later queries would wait behind the lost one.
        if (error.message === 'Query read timeout') this.#giveUp()
        return classifyPostgresError(error, `${this.host}:${this.port}`)
      },
    )
  }
}

/** The next transaction may run on a connection that lacks a named statement. */
class UnnamedClient extends StoreClient {
  // biome-ignore lint/suspicious/noExplicitAny: one signature for all overloads of the driver
  override query(given: any, ...rest: any[]): any {
    const isNamed = typeof given === 'object' && 'name' in given && 'text' in given
    return super.query(isNamed ? { ...given, name: undefined } : given, ...rest)
  }
}

function withMappedError(args: unknown[], call: (args: unknown[]) => unknown, map: (error: Error) => Error): unknown {
  const callback = args.at(-1)
  if (typeof callback === 'function') {
    const mapped = (error: Error | null | undefined, ...rest: unknown[]) => callback(error && map(error), ...rest)
    return call([...args.slice(0, -1), mapped])
  }
  const result = call(args)
  if (!(result instanceof Promise)) return result
  return result.catch((error: Error) => {
    throw map(error)
  })
}
