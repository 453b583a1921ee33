// Stores given by the environment. The demo's passwords are public, so it uses only databases that it created, on a server
// without other databases unless DEMO_ON_SHARED_STORES allows it.
import pg from 'pg'
import { awaitRedis, openRedis } from '../kit/database/redis.ts'
import { createDatabase } from '../kit/embedded/postgres.ts'
import { ignoreError } from '../kit/process/ignore-error.ts'
import { StartError } from '../kit/process/start-error.ts'

type GivenStores = { sharedStores: boolean }

/** Marks the databases and the Redis of a demo for the next start. */
const mark = 'Causeway demo: accounts with known passwords'
const redisMark = 'causeway-demo'

const remedy = (variable: string, what: string) =>
  `Leave ${variable} out, and the demo starts ${what} of its own; or set DEMO_ON_SHARED_STORES=allow.`

/** `…/demo` in the address gives the databases `demo_onboarding` and so on. */
export async function givenServer(databaseUrl: string, names: readonly string[], { sharedStores }: GivenStores) {
  const addressOf = (name: string) => {
    const address = new URL(databaseUrl)
    address.pathname = `${address.pathname}_${name}`
    return address.href
  }
  const databases = names.map((name) => decodeURIComponent(new URL(addressOf(name)).pathname.slice(1)))
  try {
    await withClient(databaseUrl, async (client) => {
      const { others, foreign } = await found(client, databases)
      assertOwn(foreign)
      if (!sharedStores) assertAlone(others)
      for (const database of databases) {
        await createDatabase(databaseUrl)(database)
        await client.query(`comment on database ${pg.escapeIdentifier(database)} is ${pg.escapeLiteral(mark)}`)
      }
    })
  } catch (error) {
    if (error instanceof StartError) throw error
    const reason = error instanceof pg.DatabaseError ? error.message : 'no PostgreSQL answers there'
    throw new StartError(`DATABASE_URL: ${reason}`)
  }
  return addressOf
}

async function withClient(databaseUrl: string, use: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString: databaseUrl })
  client.on('error', ignoreError('the query says that the server was stopped'))
  await client.connect()
  try {
    await use(client)
  } finally {
    await client.end()
  }
}

/** Finds foreign databases, and databases with our names but without our mark. */
async function found(client: pg.Client, ours: readonly string[]) {
  const { rows } = await client.query<{ name: string; isMarked: boolean }>(
    `select datname as name, coalesce(shobj_description(oid, 'pg_database'), '') = $1 as "isMarked"
     from pg_database where not datistemplate and datname not in ('postgres', current_database()) order by datname`,
    [mark],
  )
  return {
    others: rows.filter(({ name, isMarked }) => !isMarked && !ours.includes(name)).map(({ name }) => name),
    foreign: rows.filter(({ name, isMarked }) => !isMarked && ours.includes(name)).map(({ name }) => name),
  }
}

function assertOwn(foreign: readonly string[]): void {
  if (foreign.length === 0) return
  throw new StartError(
    `DATABASE_URL: the demo did not create ${foreign.join(' and ')}, and puts no accounts with known passwords there. Name another database in the address: the demo creates its own beside it.`,
  )
}

function assertAlone(others: readonly string[]): void {
  if (others.length === 0) return
  const named = others.length > 3 ? `${others.slice(0, 3).join(', ')} and others` : others.join(', ')
  throw new StartError(
    `DATABASE_URL: this server holds other databases (${named}), and the demo brings accounts with known passwords. ${remedy('DATABASE_URL', 'a server')}`,
  )
}

/** Connects here, so that a wrong address fails before anything else starts. */
export async function givenRedis(redisUrl: string, { sharedStores }: GivenStores): Promise<string> {
  const client = openRedis(redisUrl)
  try {
    await awaitRedis(client, 3_000)
    const isOthers = (await client.dbsize()) > 0 && (await client.exists(redisMark)) === 0
    if (isOthers && !sharedStores) {
      throw new StartError(`REDIS_URL: this Redis holds keys of others. ${remedy('REDIS_URL', 'a Redis')}`)
    }
    await client.set(redisMark, mark)
  } finally {
    client.disconnect()
  }
  return redisUrl
}
