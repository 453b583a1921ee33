import { execFile } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Secret } from '../../src/kit/crypto/secret.ts'
import { columnName } from '../../src/kit/database/sealed-rows.ts'
import { openAdapters } from '../../src/platform/compose.ts'
import { readConfig } from '../../src/platform/config.ts'
import { serveJobs } from '../../src/platform/control-plane/flows/serve-jobs.ts'
import { postgresFollowedSettings } from '../../src/platform/settings/adapters/followed-settings.ts'
import { sealedColumns } from '../../src/platform/shared/postgres/sealed-columns.ts'
import { sealedInDatabase } from '../support/oracles/sealed-in-database.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { bundled } from '../support/processes/bundled-programs.ts'
import { createResource, type PlatformWorld, platformWorld, replaceResource } from '../support/worlds/platform-world.ts'

const keyOf = (id: string) => `${id}:${randomBytes(32).toString('hex')}`
const [oldKey, newKey] = [keyOf('old'), keyOf('new')]
const call = { method: 'POST', path: '', headers: {}, body: '{}', thread: undefined, callback: undefined }
const seen = {
  tag: '"1"',
  feed: { version: 1, integrations: [{ id: 'added', entry: { displayName: 'CANARY-settings' } }], policies: [] },
}
let world: PlatformWorld = await platformWorld({ env: { ENCRYPTION_KEYS: `${oldKey},${newKey}`, JOB_TASKS: '0' } })
let api: ReturnType<PlatformWorld['as']> = world.as(world.admin)
afterAll(() => world.close())

const envWith = (keys: string) => ({
  DATABASE_URL: world.config.databaseUrl,
  ENCRYPTION_KEYS: keys,
  LOG_LEVEL: 'silent',
})

const connection = (name: string) => ({
  metadata: { name },
  spec: { integration: 'filebox', secret: { REFRESH_TOKEN: `CANARY-${name}` } },
})

const idOf = async (name: string): Promise<string> =>
  (await world.pool.query('select id from resources where name = $1', [name])).rows[0].id

const withSecret = (value: string) => ({
  runtime: { image: 'local/echo', envs: [{ name: 'KEY', value, secret: true }] },
})

/** One value in every sealed column. */
async function populate() {
  const runtime = { image: 'local/echo' }
  await api.post('/v0/integrations/connections').send(connection('mail')).expect(200)
  await api.post('/v0/integrations/connections').send(connection('post')).expect(200)
  await createResource(api, 'agents', 'echo', { runtime })
  await createResource(api, 'agents', 'revised', withSecret('CANARY-first'))
  await waitFor('it is deployed', async () => (await api.get('/v0/agents/revised')).body.status === 'DEPLOYED')
  await replaceResource(api, 'agents', 'revised', withSecret('CANARY-second'))
  await api
    .post('/v0/jobs')
    .send({ metadata: { name: 'batch' }, spec: { runtime } })
    .set('Idempotency-Key', 'k')
    .expect(200)
  await api
    .post('/v0/jobs/batch/executions')
    .send({ id: 'run', tasks: [{}] })
    .expect(200)
  const { accessTokens, approvals, asyncRequests, records, signingKeys } = world.adapters
  const mail = {
    id: await idOf('mail'),
    version: 1,
    workspace: 'acme',
    name: 'mail',
    integration: '',
    config: {},
    secrets: new Secret({}),
  }
  await accessTokens.lease(mail, 'test', new Date(Date.now() + 60_000), undefined)
  await accessTokens.save(mail, 'test', { token: new Secret('CANARY-token'), goodUntil: new Date(Date.now() + 60_000) })
  const post = { ...mail, id: await idOf('post'), name: 'post' }
  await accessTokens.lease(post, 'test', new Date(Date.now() + 60_000), undefined)
  await accessTokens.keepUnread(post, 'test', new Secret('CANARY-unread'))
  const request = {
    id: 'later',
    workspace: 'acme',
    agent: 'echo',
    agentId: await idOf('echo'),
    isAnonymous: false,
    asked: new Secret(call),
  }
  await asyncRequests.add(request, 'test')
  await asyncRequests.answered('later', 'test', new Secret({ status: 200, text: 'CANARY-answer', length: 13 }))
  // Leased, so that no other process finishes it.
  await world.pool.query(`update async_requests set due_at = now() + interval '1 hour'`)
  const account = { id: mail.id, name: 'mail', workspace: 'acme' }
  await approvals.ask({
    workspace: 'acme',
    functionId: mail.id,
    functionName: 'mail',
    caller: { kind: 'user', id: 'u', label: 'u', credential: 'key:u', scopes: undefined, workspace: undefined },
    deciders: { are: 'caller', id: 'u' },
    need: {
      connection: account,
      app: 'Mail',
      tool: 'send',
      covers: 'send',
      digest: 'd',
      shown: { description: undefined, arguments: { to: 'CANARY-argument' } },
      approvers: undefined,
    },
  })
  await records.adapter('Session').upsert('CANARY-session', { jti: 'CANARY-session', kind: 'Session' }, 600)
  await signingKeys.add('first')
  await postgresFollowedSettings(world.pool, world.adapters.vault).keep(seen)
  return mail
}

const rotate = (keys: string) =>
  promisify(execFile)(process.execPath, [bundled('platform/cli'), 'rotate-encryption'], { env: envWith(keys) })

test.each([
  ['another key under a known ID', () => keyOf('old'), /^ENCRYPTION_KEYS: old is not the key /],
  ['a list without the key', () => keyOf('third'), /^ENCRYPTION_KEYS: lacks old, /],
])('S3: the platform does not start with %s, and gives the reason in one sentence', async (_what, keys, sentence) => {
  const started = openAdapters(readConfig(envWith(keys())))

  await expect(started).rejects.toMatchObject({ lines: [expect.stringMatching(sentence)] })
})

describe('S3: rotate-encryption', () => {
  test('requires every process to use the new key, and rewraps every value while the platform runs', async () => {
    const mail = await populate()
    const before = await sealedInDatabase(world.pool)

    const beside = await rotate(`${newKey},${oldKey}`).catch((error) => error)
    await world.close()
    world = await platformWorld({
      env: { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: `${newKey},${oldKey}`, JOB_TASKS: '0' },
    })
    const { stdout } = await rotate(`${newKey},${oldKey}`)

    expect([beside.code, beside.stderr]).toEqual([1, expect.stringContaining('seals by the key old')])
    const names = sealedColumns.map(columnName)
    expect([...before.keys()].sort()).toEqual([...names].sort())
    expect([...before.values()].flat()).toEqual(names.map(() => 'old'))
    expect(Object.keys(JSON.parse(stdout).rewrapped)).toEqual(names)
    expect([...(await sealedInDatabase(world.pool)).values()].flat()).toEqual(names.map(() => 'new'))
    const alone = await openAdapters(readConfig(envWith(newKey)))
    expect((await alone.accessTokens.find(mail))?.token.reveal()).toBe('CANARY-token')
    expect(await alone.records.adapter('Session').find('CANARY-session')).toMatchObject({ jti: 'CANARY-session' })
    expect((await alone.signingKeys.list()).map(({ kid }) => kid)).toContain('first')
    expect(await postgresFollowedSettings(world.pool, alone.vault).find(undefined)).toEqual(seen)
    await alone.close()
  })

  test('names the columns that still use another key, and can be repeated', async () => {
    await rotate(`${newKey},${oldKey}`)
    await world.pool.query(`update executions set sealed = 'v1.gone.xxxx.yyyy'`)

    const { code, stderr } = await rotate(`${newKey},${oldKey}`).catch((error) => error)

    expect([code, stderr]).toEqual([1, expect.stringContaining('executions.sealed (1)')])
    await world.pool.query('delete from executions')
    await expect(rotate(`${newKey},${oldKey}`)).resolves.toBeDefined()
  })
})

describe('S3: a value that does not decrypt', () => {
  let broken: PlatformWorld
  beforeAll(async () => {
    broken = await platformWorld({ env: { JOB_TASKS: '0' } })
    api = broken.as(broken.admin)
  })
  afterAll(() => broken.close())

  const spoil = (table: string, column: string, name: string, id = 'name') =>
    broken.pool.query(`update ${table} set ${column} = 'v1.test.xxxx.yyyy' where ${id} = $1`, [name])

  test('of a connection is reported, and setting its secrets again repairs it', async () => {
    const path = '/v0/integrations/connections/lost'
    const model = { runtime: { image: 'local/echo' }, integrationConnections: ['lost'] }
    await api.post('/v0/integrations/connections').send(connection('lost')).expect(200)
    await createResource(api, 'models', 'm', model)
    await spoil('resources', 'sealed', 'lost')

    const used = await api.post('/acme/models/m').send({})
    const kept = await api.put(path).send({ metadata: { name: 'lost' }, spec: (await api.get(path)).body.spec })
    const repaired = await api.put(path).send(connection('lost'))

    expect([used.status, used.body.error.code]).toEqual([500, 'SECRET_UNREADABLE'])
    expect(used.body.error.message).toContain("platform's operator")
    expect([kept.status, kept.body.message]).toEqual([400, expect.stringContaining('no secret is stored')])
    expect(repaired.status).toBe(200)
    expect((await api.post('/acme/models/m').send({})).status).toBe(200)
  })

  test('of an execution fails it with the reason, and other executions continue', async () => {
    const start = (id: string) => api.post('/v0/jobs/batch/executions').send({ id, tasks: [{}] })
    const runtime = { image: 'local/echo' }
    await createResource(api, 'jobs', 'batch', { runtime })
    await start('lost').expect(200)
    await start('fine').expect(200)
    await spoil('executions', 'sealed', 'lost', 'id')
    const { taskQueue, executions } = broken.adapters
    const room = { total: 8, perWorkspace: 8, running: new Map() }

    const claimed = [await taskQueue.claim('worker', room), await taskQueue.claim('worker', room)].flat()
    await executions.settle()

    const { body } = await api.get('/v0/jobs/batch/executions/lost')
    expect(claimed.map(({ executionId }) => executionId)).toEqual(['fine'])
    expect(body.status).toBe('failed')
    expect(JSON.stringify(body.tasks)).toContain('cannot be decrypted')
  })

  test('of a job with a schedule does not block other schedules', async () => {
    const triggers = [{ type: 'cron', enabled: true, configuration: { schedule: '0 0 1 1 *' } }]
    const envs = [{ name: 'A', value: 'CANARY', secret: true }]
    for (const name of ['lost-clock', 'fine-clock']) {
      const spec = { runtime: { image: 'local/echo', envs }, triggers }
      await createResource(api, 'jobs', name, spec)
    }
    await waitFor('both are deployed', async () => {
      const deployed = `select from resources where name like '%-clock' and status = 'DEPLOYED'`
      return (await broken.pool.query(deployed)).rowCount === 2
    })
    await spoil('resources', 'sealed', 'lost-clock')

    const found = await serveJobs(broken.adapters).withSchedules()

    expect(found.map(({ name }) => name)).toEqual(['fine-clock'])
  })

  test('of an asynchronous request fails it with an event on its agent, and others are answered', async () => {
    await createResource(api, 'agents', 'echo', { runtime: { image: 'local/echo' } })
    const { rows } = await broken.pool.query(`select id from resources where name = 'echo'`)
    const { asyncRequests } = broken.adapters
    for (const id of ['lost', 'fine']) {
      await asyncRequests.add(
        { id, workspace: 'acme', agent: 'echo', agentId: rows[0].id, isAnonymous: false, asked: new Secret(call) },
        'me',
      )
    }
    await spoil('async_requests', 'asked', 'lost', 'id')

    await asyncRequests.release('me')
    await waitFor('both are over', async () => {
      const left = await broken.pool.query('select from async_requests')
      return left.rowCount === 0
    })

    const { body } = await api.get('/v0/agents/echo')
    const messages = body.events.map(({ message }: { message: string }) => message)
    expect(messages.filter((message: string) => message.includes('decrypted'))).toEqual([
      expect.stringContaining('lost'),
    ])
  })

  test('of a signing key ends only its tokens, of a session ends it, and of an access token causes a refresh', async () => {
    const { signingKeys, records, accessTokens } = broken.adapters
    const mail = {
      id: 'none',
      version: 1,
      workspace: 'acme',
      name: '',
      integration: '',
      config: {},
      secrets: new Secret({}),
    }
    await signingKeys.add('lost')
    await signingKeys.add('fine')
    await records.adapter('Session').upsert('s', { jti: 's', kind: 'Session' }, 600)
    const { rows } = await broken.pool.query(`select id from resources where name = 'lost'`)
    const lost = { ...mail, id: rows[0].id as string }
    await accessTokens.lease(lost, 'test', new Date(Date.now() + 60_000), undefined)
    await accessTokens.save(lost, 'test', { token: new Secret('t'), goodUntil: new Date(Date.now() + 60_000) })
    await spoil('signing_keys', 'envelope', 'lost', 'kid')
    await spoil('oidc_records', 'envelope', 'Session', 'model')
    await spoil('access_tokens', 'envelope', lost.id, 'resource_id')

    const found = await accessTokens.find(lost)

    expect((await signingKeys.list()).map(({ kid }) => kid)).toEqual(['fine'])
    expect(await records.adapter('Session').find('s')).toBeUndefined()
    expect(found?.goodUntil.getTime()).toBe(0)
    expect(await accessTokens.lease(lost, 'next', new Date(Date.now() + 60_000), found)).toBe(true)
  })
})
