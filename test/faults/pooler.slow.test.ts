import { expect, onTestFinished, test } from 'vitest'
import { migrate } from '../../src/kit/database/migrations.ts'
import { awaitDatabase, openPool } from '../../src/kit/database/pool.ts'
import { migrations } from '../../src/onboarding/adapters/postgres/migrations/migrations.ts'
import { runCommandLine } from '../../src/onboarding/command-line.ts'
import { runCommand } from '../../src/platform/command-line.ts'
import { type PoolMode, startPgBouncer } from '../support/processes/pgbouncer.ts'
import { createTestDatabase } from '../support/processes/stores.ts'
import { startOnboarding } from '../support/worlds/onboarding-world.ts'

async function pooled(mode: PoolMode, of: 'onboarding' | 'platform' | undefined, settings = {}) {
  const direct = await createTestDatabase(of)
  const bouncer = await startPgBouncer(mode, settings)
  onTestFinished(() => bouncer.stop())
  return { direct, url: bouncer.through(direct) }
}

/** As the sentence of the start asks. The database instead of the role, which all tests share. */
async function setLimits(direct: string): Promise<void> {
  const pool = openPool(direct, { connections: 1 })
  const name = new URL(direct).pathname.slice(1)
  await pool.query(`alter database ${name} set statement_timeout = '5s'`)
  await pool.query(`alter database ${name} set idle_in_transaction_session_timeout = '10s'`)
  await pool.end()
}

const refusalOf = async (started: Promise<unknown>): Promise<string> =>
  started.then(
    () => 'started',
    ({ message }) => message,
  )

async function linkAccounts(env: Record<string, string>, count: number): Promise<string[]> {
  const world = await startOnboarding({ env })
  onTestFinished(() => world.close())
  const links = Array.from({ length: count }, async (_, nth) => {
    const minted = await world.mint({ endUser: { id: `user-${nth}` } })
    const { query } = await world.consent(minted)
    return (await world.completeToTheEnd(minted, query)).status
  })
  return Promise.all(links)
}

test('accounts are linked through PgBouncer in session mode, with the limits of a direct connection', async () => {
  const { url } = await pooled('session', 'onboarding')
  const pool = openPool(url)
  onTestFinished(() => pool.end())

  const statuses = await linkAccounts({ DATABASE_URL: url }, 20)
  const { rows } = await pool.query(`select current_setting('statement_timeout') as statement,
    current_setting('idle_in_transaction_session_timeout') as idle`)

  expect(new Set(statuses)).toEqual(new Set(['linked']))
  expect(rows).toEqual([{ statement: '5s', idle: '10s' }])
})

test.each(['true', 'false'])(
  'accounts are linked through PgBouncer in transaction mode (BATCH_STATEMENTS=%s)',
  async (batches) => {
    const { direct, url } = await pooled('transaction', 'onboarding', { server_round_robin: 1, default_pool_size: 5 })
    await setLimits(direct)

    const env = { DATABASE_URL: url, DATABASE_POOLER: 'transaction', BATCH_STATEMENTS: batches }
    const statuses = await linkAccounts(env, 20)

    expect(new Set(statuses)).toEqual(new Set(['linked']))
  },
)

test.each([0, 1])('a pooler in transaction mode is recognized (server_round_robin = %d)', async (roundRobin) => {
  const { url } = await pooled('transaction', 'onboarding', { server_round_robin: roundRobin })

  const refusal = await refusalOf(startOnboarding({ env: { DATABASE_URL: url } }))

  expect(refusal).toBe(
    'DATABASE_URL: this is a connection pooler in transaction mode: set DATABASE_POOLER=transaction for the programs, and give migrate the address of PostgreSQL itself',
  )
})

test('in transaction mode, a role without limits is rejected with the statements that set them', async () => {
  const { url } = await pooled('transaction', 'onboarding')

  const refusal = await refusalOf(startOnboarding({ env: { DATABASE_URL: url, DATABASE_POOLER: 'transaction' } }))

  expect(refusal).toMatch(/^DATABASE_POOLER: .* alter role \w+ set statement_timeout = '5s'; alter role \w+ set idle/)
})

test('migrate works through session mode, and requires a direct connection in transaction mode', async () => {
  const session = await pooled('session', undefined)
  const transaction = await pooled('transaction', undefined)
  await setLimits(transaction.direct)
  const printed: object[] = []
  const command = (url: string) =>
    runCommandLine(['migrate'], {
      env: { DATABASE_URL: url },
      print: (line) => void printed.push(line),
      warn: () => {},
    })
  const program = openPool(transaction.url, { pooler: 'transaction' })
  onTestFinished(() => program.end())

  await command(session.url)
  const refused = await refusalOf(command(transaction.url))
  const started = await refusalOf(migrate(program, migrations))

  expect(printed).toEqual([{ applied: migrations.map(({ name }) => name) }])
  expect(refused).toContain('give migrate the address of PostgreSQL itself')
  expect(started).toMatch(/^the database lacks the migration 0001-schema: run migrate with the address of PostgreSQL/)
})

test('commands of the platform run through PgBouncer in transaction mode', async () => {
  const { direct, url } = await pooled('transaction', 'platform', { server_round_robin: 1 })
  await setLimits(direct)
  const env = { DATABASE_URL: url, DATABASE_POOLER: 'transaction' }

  const surroundings = { env, readInput: async () => '', warn: () => {} }
  const made = await runCommand(
    ['bootstrap', '--account', 'demo', '--workspace', 'acme', '--email', 'admin@acme.example'],
    surroundings,
  )

  expect(made).toMatchObject({ workspace: 'acme' })
})

test('a pooler that rejects the database is quoted', async () => {
  const bouncer = await startPgBouncer('session')
  onTestFinished(() => bouncer.stop())
  const pool = openPool(`${bouncer.through('postgres://user@127.0.0.1/none')}?options=-c%20geqo=off`)
  onTestFinished(() => pool.end())

  const refusal = await refusalOf(awaitDatabase(pool, 20_000))

  expect(refusal).toBe('DATABASE_URL: the connection pooler there answers: unsupported startup parameter: options')
})
