import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { settingsFeedPath } from '../../../src/contract/integrations/settings-feed.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type FunctionWorld, functionWorld, keysOf } from '../../support/worlds/function-world.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const key = randomBytes(32).toString('base64url')
const offered = {
  id: 'added',
  entry: { displayName: 'Added', issuer: 'https://added.example', scopes: [{ name: 'openid' }] },
}

let onboarding: Awaited<ReturnType<typeof startFeed>>
let world: FunctionWorld

beforeEach(async () => {
  onboarding = await startFeed()
  world = await functionWorld({ env: { SETTINGS_URL: onboarding.url, SETTINGS_KEY: key } })
})
afterEach(async () => {
  await world.close()
  await onboarding.close()
})

/** Onboarding as the platform sees it. */
async function startFeed() {
  const state = {
    integrations: [] as object[],
    policies: [] as object[],
    version: 0,
    refuses: false,
    bomb: 0,
    asked: 0,
  }
  const server: Server = createServer((req, res) => {
    state.asked++
    const isRefused = state.refuses || req.headers.authorization !== `Bearer ${key}` || req.url !== settingsFeedPath
    if (isRefused) return void res.writeHead(401).end()
    const tag = `"${state.version}"`
    if (state.bomb > 0) return void res.writeHead(200, { etag: '"bomb"' }).end(Buffer.alloc(state.bomb, ' '))
    if (req.headers['if-none-match'] === tag) return void res.writeHead(304, { etag: tag }).end()
    const { version, integrations, policies } = state
    res
      .writeHead(200, { etag: tag, 'content-type': 'application/json' })
      .end(JSON.stringify({ version, integrations, policies }))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    state,
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    say(...integrations: object[]) {
      state.version++
      state.integrations = integrations
    },
    restrict(...policies: object[]) {
      state.version++
      state.policies = policies
    },
    async close() {
      server.close()
      server.closeAllConnections()
    },
  }
}

const nameOf = async (id: string, of: Pick<FunctionWorld['platform'], 'as' | 'admin'> = world.platform) =>
  (await of.as(world.platform.admin).get(`/v0/integrations/${id}`)).body.displayName

const untilNamed = (id: string, name: string) => waitFor(`${id} is ${name}`, async () => (await nameOf(id)) === name)

test('an integration that onboarding adds is offered, and one that it drops is not', async () => {
  onboarding.say(offered)
  await untilNamed('added', 'Added')

  onboarding.say()
  await waitFor('it is gone', async () => (await nameOf('added')) === undefined)
})

test('a function has the tools of the new settings, and those of the file when they are removed', async () => {
  const url = await world.listen()
  const tools = async (): Promise<string[]> => {
    const answer = await world.post(url, { jsonrpc: '2.0', id: 1, method: 'tools/list' })
    const { result } = (await answer.json()) as { result: { tools: Array<{ name: string }> } }
    return result.tools.map(({ name }) => name)
  }
  const { id: _, ...entry } = world.filebox.integration as unknown as Record<string, unknown>
  const before = await tools()

  onboarding.say({ id: 'filebox', entry: { ...entry, toolPolicy: { deny: ['write_file'], readOnly: true } } })
  await waitFor('the policy applies', async () => !(await tools()).includes('write_file'))
  onboarding.say({ id: 'filebox', entry: { ...entry, requestTool: false } })
  await waitFor('the tools change', async () => !(await tools()).includes('request'))
  expect(await tools()).toEqual(before.filter((name) => name !== 'request'))

  onboarding.say()
  await waitFor('the file applies', async () => (await tools()).length === before.length)
})

test('while onboarding is away, and after a restart, the settings that were seen last apply', async () => {
  onboarding.say(offered)
  await untilNamed('added', 'Added')
  const { rows } = await world.platform.pool.query('select sealed from followed_settings')
  expect(rows[0].sealed).not.toContain('added.example')

  onboarding.state.refuses = true
  const restarted = await platformWorld({
    env: {
      DATABASE_URL: world.platform.config.databaseUrl,
      ENCRYPTION_KEYS: keysOf(world.platform.config),
      SETTINGS_URL: onboarding.url,
      SETTINGS_KEY: key,
    },
  })

  expect(await nameOf('added', restarted)).toBe('Added')
  await restarted.close()
})

test('an entry that this release rejects leaves the others as they are', async () => {
  onboarding.say({ id: 'broken', entry: { displayName: 'Broken', colour: 'red' } }, offered)

  await untilNamed('added', 'Added')
  expect(await nameOf('broken')).toBeUndefined()
})

test('policies of a tenant and a connection apply to their functions, and are reported with their level', async () => {
  const url = await world.listen()
  const call = async (name: string, args: object) => {
    const params = { name, arguments: args }
    const answer = await world.post(url, { jsonrpc: '2.0', id: 1, method: 'tools/call', params })
    return (await answer.json()) as { error?: { message: string }; result?: { isError: boolean } }
  }
  const path = '/v0/integrations/connections/files/tool-policy'
  expect((await call('list_files', { folder: 'a' })).result?.isError).toBe(false)

  onboarding.restrict(
    { workspace: 'acme', perMinute: { '*': 1_000 } },
    { workspace: 'acme', connection: 'files', deny: ['list_files'] },
    { workspace: 'acme', connection: 'other', readOnly: true },
    { workspace: 'elsewhere', readOnly: true },
  )
  await waitFor('the policy applies', async () => (await world.api.get(path)).body.deny?.length === 1)

  expect((await call('list_files', { folder: 'a' })).error?.message).toBe('Unknown tool: list_files.')
  expect((await world.api.get(path)).body).toMatchObject({
    deny: ['list_files'],
    readOnly: false,
    perMinute: { '*': 1_000 },
    decidedBy: { deny: ['connection'], perMinute: ['tenant'] },
  })
  expect((await world.api.get(path.replace('files', 'none'))).status).toBe(404)
})

test('a response that is too large changes nothing', async () => {
  onboarding.say(offered)
  await untilNamed('added', 'Added')

  onboarding.state.bomb = 17 * 1024 * 1024
  const { asked } = onboarding.state
  await waitFor('it was asked twice', async () => onboarding.state.asked > asked + 1)
  expect(await nameOf('added')).toBe('Added')
  onboarding.state.bomb = 0

  onboarding.say()
  await waitFor('it follows again', async () => (await nameOf('added')) === undefined)
})
