// A pool that gives up waiting for a connection by the time in which this process ran. The driver's own timers also count
// a pause of the machine, and then give up a connection that has come meanwhile, or that the server had no time for either.
// What it and its connections throw is classified.
import pg from 'pg'
import { ignoreError } from '../process/ignore-error.ts'
import { stallProofTimeout } from '../process/stall-proof-timeout.ts'
import { classifyPostgresError } from './store-errors.ts'

type ConnectCallback = (error: Error | undefined, client?: pg.PoolClient, done?: () => void) => void

export class TimedPool extends pg.Pool {
  readonly #waitMs: number

  /** `waitMs`: for a connection that is free, and for a new one to be made. */
  constructor(config: pg.PoolConfig, waitMs: number) {
    super({ ...config, Client: clientThatConnectsIn(waitMs) })
    this.#waitMs = waitMs
  }

  override connect(): Promise<pg.PoolClient>
  override connect(callback: ConnectCallback): void
  override connect(callback?: ConnectCallback): Promise<pg.PoolClient> | undefined {
    if (callback) return void this.#connectInTime(callback)
    return new Promise((resolve, reject) => {
      this.#connectInTime((error, client) => (client ? resolve(client) : reject(error)))
    })
  }

  /** The pool itself tells of a connection that breaks before its query has heard of it. */
  // biome-ignore lint/suspicious/noExplicitAny: one signature for all overloads of the driver
  override query(...args: any[]): any {
    const callback = args.at(-1)
    if (typeof callback === 'function') args[args.length - 1] = classified(callback)
    const result = super.query(...(args as [string]))
    if (!(result instanceof Promise)) return result
    return result.catch((error: Error) => {
      throw classifyPostgresError(error)
    })
  }

  #connectInTime(callback: ConnectCallback): void {
    let isLate = false
    const connected: ConnectCallback = (error, client, done) => {
      clear()
      if (isLate) done?.()
      else callback(error && classifyPostgresError(error), client, done)
    }
    const clear = stallProofTimeout(this.#waitMs, () => {
      isLate = true
      this.#forget(connected)
      const late = new Error('timeout exceeded when trying to connect')
      callback(classifyPostgresError(late), undefined, () => undefined)
    })
    super.connect(connected)
  }

  /** Out of the pool's own queue, as the pool itself does it: a connection for who has gone would be one too many. */
  #forget(callback: ConnectCallback): void {
    const { _pendingQueue: waiting = [] } = this as unknown as { _pendingQueue?: Array<{ callback: ConnectCallback }> }
    const at = waiting.findIndex((each) => each.callback === callback)
    if (at >= 0) waiting.splice(at, 1)
  }
}

type Callback = (error?: Error | null, ...rest: unknown[]) => void

const classified =
  (callback: Callback): Callback =>
  (error, ...rest) =>
    callback(error && classifyPostgresError(error), ...rest)

const clientThatConnectsIn = (waitMs: number) =>
  class extends TimedClient {
    constructor(config?: string | pg.ClientConfig) {
      super(config, waitMs)
    }
  }

class TimedClient extends pg.Client {
  readonly #waitMs: number

  constructor(config: string | pg.ClientConfig | undefined, waitMs: number) {
    super(config)
    this.#waitMs = waitMs
    // A connection that breaks while somebody uses it also tells it beside the query; unheard, that ends the process.
    this.on('error', ignoreError('the query that used the connection fails'))
  }

  /** One that is given up is cut: it must not keep a place. The pool calls this with a callback. */
  // biome-ignore lint/suspicious/noExplicitAny: one signature for all overloads of the driver
  override connect(callback?: any): any {
    if (!callback) return super.connect()
    const { connection } = this as unknown as { connection: pg.Connection }
    const giveUp = () => connection.stream.destroy(new Error('Connection terminated due to connection timeout'))
    const clear = stallProofTimeout(this.#waitMs, giveUp)
    super.connect((error: Error | undefined) => {
      clear()
      callback(error)
    })
  }

  // biome-ignore lint/suspicious/noExplicitAny: one signature for all overloads of the driver
  override query(...args: any[]): any {
    const callback = args.at(-1)
    if (typeof callback === 'function') args[args.length - 1] = this.#classified(callback)
    const result = super.query(...(args as [string]))
    if (!(result instanceof Promise)) return result
    return result.catch((error: Error) => {
      throw this.#heard(error)
    })
  }

  #classified(callback: Callback): Callback {
    return (error, ...rest) => callback(error && this.#heard(error), ...rest)
  }

  /**
   * A connection whose answer does not come in time may be dead for hours before the system notices, and every later
   * query would wait behind the lost one: it is ended, where it would have gone back into the pool.
   */
  #heard(error: Error): Error {
    if (error.message === 'Query read timeout') void this.end()
    return classifyPostgresError(error)
  }
}
