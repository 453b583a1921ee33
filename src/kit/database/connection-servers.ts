// Chooses the server of each new connection of a pool, and ends connections to a server that is no longer the primary.
import pg from 'pg'
import { ignoreError } from '../process/ignore-error.ts'
import {
  type Generation,
  generationIn,
  generationStatement,
  PrimaryReplaced,
  type PrimaryWatch,
  standbyStatement,
} from './servers.ts'
import { StoreUnavailable, storeHost } from './store-errors.ts'

export type ConnectionServers = ReturnType<typeof connectionServers>

const surveyMs = 2_000

type ConnectCallback = (error: Error) => void

type ClientClass = new (config?: string | pg.ClientConfig) => pg.Client

// SQLSTATEs of services without the functions of the statement, and of roles that may not call them.
const notOffered = ['0A000', '42501', '42883']

export function connectionServers(addresses: readonly string[], primary: PrimaryWatch) {
  let next = 0
  const chosen = new WeakMap<object, number>()
  const generations = new WeakMap<object, Generation>()
  const host = addresses.map(storeHost).join(',')

  let surveyed: Promise<void> | undefined

  function leave(client: object): void {
    surveyed = undefined
    if (chosen.get(client) === next) next = (next + 1) % addresses.length
  }

  async function generationOf(client: pg.ClientBase) {
    const ask = async (statement: string) => {
      const { rows } = await client.query(statement).catch((error: Error & { code?: string }) => {
        if (notOffered.includes(error.code ?? '')) return { rows: [] }
        throw error
      })
      return rows[0]
    }
    return (await ask(generationStatement)) ?? (await ask(standbyStatement))
  }

  /** An old primary that came back does not know that it was replaced. The other servers do. */
  async function survey(): Promise<void> {
    const others = addresses.filter((_, index) => index !== next)
    await Promise.all(
      others.map(async (connectionString) => {
        const client = new pg.Client({ connectionString, connectionTimeoutMillis: surveyMs, query_timeout: surveyMs })
        client.on('error', ignoreError('the survey goes on'))
        await client
          .connect()
          .then(() => generationOf(client))
          .then((found) => found?.timeline && primary.learn(generationIn(found)))
          .catch(ignoreError('a server that is away is not the primary'))
        void client.end().catch(ignoreError('it is closed')) // a server that froze would never end it
      }),
    )
  }

  return {
    host,
    count: addresses.length,
    isCurrent(client: pg.ClientBase): boolean {
      const generation = generations.get(client)
      return generation === undefined || !primary.isReplaced(generation)
    },
    clients: (Base: ClientClass): ClientClass =>
      class extends Base {
        constructor(config?: string | pg.ClientConfig) {
          super({ ...(config as pg.ClientConfig), connectionString: addresses[next] })
          chosen.set(this, next)
          this.on('error', () => leave(this))
        }

        override connect(): Promise<pg.Client>
        override connect(callback: ConnectCallback): void
        override connect(callback?: ConnectCallback): Promise<pg.Client> | undefined {
          if (!callback) return super.connect()
          super.connect((error: Error) => {
            if (error) leave(this)
            callback(error)
          })
        }
      },
    /** Throws if the server is not the primary. One address may lead to a standby, which answers reads. */
    async admit(client: pg.ClientBase): Promise<void> {
      surveyed ??= survey()
      await surveyed
      const found = await generationOf(client)
      const generation = found?.timeline ? generationIn(found) : undefined
      const problem = refusal(found, generation)
      if (problem) {
        leave(client)
        throw problem
      }
      if (!generation) return
      primary.learn(generation)
      generations.set(client, generation)
    },
  }

  function refusal(found: { is_standby: boolean } | undefined, generation: Generation | undefined): Error | undefined {
    const store = `PostgreSQL ${host}`
    if (found?.is_standby && addresses.length > 1)
      return new StoreUnavailable(new Error('this server is a standby'), store, '25006')
    return generation && primary.isReplaced(generation) ? new PrimaryReplaced(store) : undefined
  }
}
