import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { promisify } from 'node:util'
import request from 'supertest'
import { expect, test, vi } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { complaintsOf, runCommand } from '../../src/platform/command-line.ts'
import { bundled } from '../support/processes/bundled-programs.ts'
import { createRedisDatabase, createTestDatabase } from '../support/processes/stores.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

// Programs as they are deployed start one after the other, on what may be a busy machine.
vi.setConfig({ testTimeout: 240_000 })

const run = promisify(execFile)
const keys = `test:${'ab'.repeat(32)}`
/** As it is deployed. */
const deployed = (file: string) => [`dist/platform/${file}.js`]

/** Runs a command without a process, which is the same for all commands. */
async function call(env: NodeJS.ProcessEnv, words: readonly string[], input = '') {
  const answer = runCommand([...words], { env, readInput: async () => input, warn: () => {} })
  const printed = await answer.catch((error) => {
    throw new Error(`platform: ${complaintsOf(error).join('\nplatform: ')}\n`)
  })
  return JSON.parse(JSON.stringify(printed))
}

const complaintOf = (env: NodeJS.ProcessEnv, words: readonly string[]): Promise<string> =>
  call(env, words).then(
    () => 'none',
    ({ message }) => message,
  )

const bootstrapArguments = ['bootstrap', '--account', 'demo', '--workspace', 'acme', '--email', 'Admin@acme.example']

const identity = {
  users: [{ email: 'agent@acme.example', password: 'correct horse battery', roles: ['causeway-agent'] }],
  clients: [
    {
      clientId: 'console',
      name: 'Console',
      clientSecret: 'x'.repeat(32),
      redirectUris: ['https://connect.acme.example/support/callback'],
    },
  ],
}

test('bootstrap creates missing resources, and a new key at every call', async () => {
  const DATABASE_URL = await createTestDatabase()
  const env = { DATABASE_URL }

  const { stdout } = await run(process.execPath, [...deployed('cli'), ...bootstrapArguments], { env })
  const first = JSON.parse(stdout)
  const second = await call(env, bootstrapArguments)

  expect(first).toEqual({ accountId: expect.any(String), workspace: 'acme', apiKey: expect.stringMatching(/^cwp_/) })
  expect(second).toEqual({ ...first, apiKey: expect.not.stringContaining(first.apiKey) })
})

test('keys, apps, passwords and signing keys are managed by commands', async () => {
  const env = { DATABASE_URL: await createTestDatabase('platform'), ENCRYPTION_KEYS: keys }
  const who = ['--email', 'admin@acme.example']
  const twoGroups = ['--group', 'a', '--group', 'b']
  await call(env, bootstrapArguments)

  const key = await call(env, ['create-key', ...who, '--name', 'ci', '--expires-in', '3600'])
  const listed = await call(env, ['list-keys', ...who])
  const revoked = await call(env, ['revoke-key', ...who, '--id', key.id])
  const app = await call(env, [
    'register-client',
    '--name',
    'Acme App',
    '--redirect-uri',
    'https://app.acme.example/back',
  ])
  const publicApp = await call(env, ['register-client', '--name', 'Acme CLI', '--public', 'true'])
  const password = await call(env, ['set-password', ...who], 'correct horse battery\n')
  const applied = await call(env, ['apply-identity'], JSON.stringify(identity))
  const again = await call(env, ['apply-identity'], JSON.stringify(identity))
  const rotated = await call(env, ['rotate-signing-key'])
  const person = await call(env, ['create-user', '--email', 'New@acme.example'])
  const groups = await call(env, ['set-groups', '--account', 'demo', '--email', person.email, ...twoGroups])
  const record = await call(env, ['audit', '--workspace', 'acme'])
  const written = await commandsWritten(env.DATABASE_URL)

  expect(listed.map(({ name }: { name: string }) => name).sort()).toEqual(['bootstrap', 'ci'])
  expect(revoked.id).toBe(key.id)
  expect(app).toEqual({ clientId: expect.any(String), clientSecret: expect.any(String) })
  expect(publicApp).toEqual({ clientId: expect.any(String) })
  expect(password).toEqual({ email: 'admin@acme.example' })
  expect(applied).toEqual({ users: ['agent@acme.example'], clients: ['console'] })
  expect(again).toEqual(applied)
  expect(rotated).toEqual({ kid: expect.any(String), removed: 0 })
  expect(person).toEqual({ id: expect.any(String), email: 'new@acme.example' })
  expect(groups).toEqual({ email: 'new@acme.example', groups: ['a', 'b'] })
  expect(record).toEqual([]) // keys of a person belong to no workspace
  expect(written).toEqual(
    expect.arrayContaining([
      'set-password --email admin@acme.example',
      'apply-identity {"users":["agent@acme.example"],"clients":["console"]}',
      'set-groups --account demo --email new@acme.example --group a --group b',
    ]),
  )
})

test('commands manage account admins and service accounts, and keep the last admin', async () => {
  const env = { DATABASE_URL: await createTestDatabase('platform'), ENCRYPTION_KEYS: keys }
  const serviceAccount = (workspace: string) =>
    ['create-service-account', '--workspace', workspace, '--name', 'robot'] as const
  const roleOf = (email: string, role: string, account = 'demo') =>
    ['set-account-role', '--account', account, '--email', email, '--role', role] as const
  await call(env, bootstrapArguments)
  await call(env, ['create-user', '--email', 'second@acme.example'])

  const stays = await complaintOf(env, roleOf('admin@acme.example', 'none'))
  const stranger = await complaintOf(env, roleOf('nobody@acme.example', 'admin'))
  const second = await call(env, roleOf('Second@acme.example', 'admin'))
  await call(env, roleOf('admin@acme.example', 'none'))
  const nothing = await call(env, roleOf('admin@acme.example', 'none'))
  const lowered = await complaintOf(env, roleOf('second@acme.example', 'member'))
  const robot = await call(env, [...serviceAccount('acme'), '--role', 'admin'])
  const taken = await complaintOf(env, serviceAccount('acme'))
  const nowhere = await complaintOf(env, serviceAccount('never-was'))
  const members = await accountMembers(env.DATABASE_URL)
  const { tokenStatus, record } = await afterwards(env.DATABASE_URL, robot)

  expect([stays, lowered]).toEqual(Array(2).fill('platform: An account needs an admin: add another one first.\n'))
  expect(stranger).toContain('no user has this email address')
  expect(second).toEqual({ account: 'demo', email: 'Second@acme.example', role: 'admin' })
  expect(nothing).toEqual({ account: 'demo', email: 'admin@acme.example', role: 'none' })
  expect(members).toEqual(['second@acme.example admin'])
  expect(robot).toMatchObject({ clientId: expect.stringMatching(/^sa-/), workspace: 'acme', role: 'admin' })
  expect(tokenStatus).toBe(200)
  expect([taken, nowhere]).toEqual(['platform: This name is taken.\n', 'platform: No workspace has this name.\n'])
  expect(record).toContain('serviceaccount.created robot')
  expect(record).toContain('command.run set-account-role --account demo --email admin@acme.example --role none')
  expect(record.join()).not.toContain(robot.clientSecret)
})

async function accountMembers(databaseUrl: string): Promise<string[]> {
  const pool = openPool(databaseUrl)
  const { rows } = await pool.query(
    `select u.email || ' ' || m.role as text from account_members m join users u on u.id = m.user_id`,
  )
  await pool.end()
  return rows.map(({ text }) => text)
}

/** Whether the secret opens the door, and what is on record. */
async function afterwards(
  DATABASE_URL: string,
  { clientId, clientSecret }: { clientId: string; clientSecret: string },
) {
  const world = await platformWorld({ env: { DATABASE_URL } })
  const { rows } = await world.pool.query(`select action || ' ' || resource_name as text from audit_events`)
  const { status } = await request(world.app)
    .post('/oauth/token')
    .send({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })
  await world.close()
  return { tokenStatus: status, record: rows.map(({ text }) => text) as string[] }
}

async function commandsWritten(databaseUrl: string): Promise<string[]> {
  const pool = openPool(databaseUrl)
  const { rows } = await pool.query(`select resource_name from audit_events where action = 'command.run'`)
  await pool.end()
  return rows.map(({ resource_name }) => resource_name)
}

test('a command with errors reports each of them and exits 1', async () => {
  const bootstrap = run(process.execPath, [bundled('platform/cli'), 'bootstrap', '--workspace', 'No Good'], { env: {} })

  const { code, stderr } = await bootstrap.catch((error) => error)

  expect(code).toBe(1)
  expect(stderr).toMatch(/--account: .*\n.*--workspace: .*\n.*--email: /)
})

test.each([
  [['--service-account', 'sa-none'], 'platform: The owner of the key does not exist.\n'],
  [['--service-account', 'sa-none', '--expires-in', '1e20'], expect.stringMatching(/^platform: --expires-in: /)],
  [['--email', 'nobody@acme.example'], 'platform: No user has this email address.\n'],
  [[], 'platform: Specify --email or --service-account.\n'],
])('a key for %j is rejected in one sentence, without a stack trace', async (owner, complaint) => {
  const env = { DATABASE_URL: await createTestDatabase('platform') }

  expect(await complaintOf(env, ['create-key', '--name', 'ci', ...owner])).toEqual(complaint)
})

test('reserved workspace names are rejected', async () => {
  const options = ['--account', 'demo', '--workspace', 'billing', '--email', 'a@acme.example']

  expect(await complaintOf({}, ['bootstrap', ...options])).toContain('--workspace: is reserved')
})

test('a program with an invalid environment exits 1 with one line per error', async () => {
  const env = { PORT: 'no', BRAND: 'two words', INTEGRATIONS_FILE: '/none.json' }

  const { code, stderr } = await run(process.execPath, [bundled('platform/main')], { env }).catch((error) => error)

  expect(code).toBe(1)
  expect(stderr.trim().split('\n').sort()).toEqual([
    'platform: BRAND: must be letters, digits and hyphens',
    'platform: DATABASE_URL: is missing; see .env*.example',
    'platform: ENCRYPTION_KEYS: is missing; see .env*.example',
    'platform: INTEGRATIONS_FILE: names a file that cannot be read: it does not exist (/none.json)',
    'platform: PORT: must be a port number',
  ])
})

test('the program reports its port, answers probes, and ends when its parent disconnects', async () => {
  const address = { PORT: '0', HOST: '127.0.0.1' }
  const stores = { DATABASE_URL: await createTestDatabase(), REDIS_URL: await createRedisDatabase() }
  const child: ChildProcess = spawn(process.execPath, deployed('main'), {
    env: { ...stores, ENCRYPTION_KEYS: keys, ...address },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  })
  const [{ ready, port }] = (await once(child, 'message')) as [{ ready: boolean; port: number }]

  const health = await fetch(`http://127.0.0.1:${port}/healthz`)
  const readiness = await fetch(`http://127.0.0.1:${port}/readyz`)
  const [code] = await Promise.all([once(child, 'exit'), child.disconnect()]).then(([exit]) => exit)

  expect(ready).toBe(true)
  expect(await health.json()).toEqual({ status: 'ok' })
  expect(await readiness.json()).toEqual({
    status: 'ok',
    dependencies: { database: 'ok', redis: 'ok' },
    engine: { kind: 'bubblewrap', status: 'ok' },
  })
  expect(code).toBe(0)
})
