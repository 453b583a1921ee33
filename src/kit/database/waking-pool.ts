// A pool that gives up waiting for a connection by the time in which this process ran. The driver's own timers also count
// a pause of the machine, and then give up a connection that has come meanwhile, or that the server had no time for either.
import pg from 'pg'
import { afterWaking } from '../process/waking-time.ts'

type Tell = (error: Error | undefined, client?: pg.PoolClient, done?: () => void) => void

/** `waitMs`: for a connection that is free, and for a new one to be made. */
export function wakingPool(config: pg.PoolConfig, waitMs: number): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: clientThatConnectsIn(waitMs) })
  const connect = pool.connect.bind(pool) as (tell: Tell) => void
  const connectInTime = (tell: Tell) => {
    let isLate = false
    const got: Tell = (error, client, done) => {
      clear()
      if (isLate) done?.()
      else tell(error, client, done)
    }
    const clear = afterWaking(waitMs, () => {
      isLate = true
      forget(pool, got)
      tell(new Error('timeout exceeded when trying to connect'), undefined, () => undefined)
    })
    connect(got)
  }
  pool.connect = ((tell?: Tell) => (tell ? connectInTime(tell) : promised(connectInTime))) as typeof pool.connect
  return pool
}

/** Out of the pool's own queue, as the pool itself does it: a connection for who has gone would be one too many. */
function forget(pool: pg.Pool, tell: Tell): void {
  const { _pendingQueue: waiting = [] } = pool as unknown as { _pendingQueue?: Array<{ callback: Tell }> }
  const at = waiting.findIndex(({ callback }) => callback === tell)
  if (at >= 0) waiting.splice(at, 1)
}

const promised = (connect: (tell: Tell) => void): Promise<pg.PoolClient> =>
  new Promise((resolve, reject) => {
    connect((error, client) => (client ? resolve(client) : reject(error)))
  })

/** The pool makes new ones by a callback. One that is given up is cut: it must not keep a place. */
const clientThatConnectsIn = (waitMs: number) =>
  class extends pg.Client {
    constructor(config?: string | pg.ClientConfig) {
      super(config)
      const connect = this.connect.bind(this) as (tell: (error?: Error) => void) => void
      const { connection } = this as unknown as { connection: pg.Connection }
      this.connect = ((tell: (error?: Error) => void) => {
        const giveUp = () => connection.stream.destroy(new Error('Connection terminated due to connection timeout'))
        const clear = afterWaking(waitMs, giveUp)
        connect((error) => {
          clear()
          tell(error)
        })
      }) as typeof this.connect
    }
  }
