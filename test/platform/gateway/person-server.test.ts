// All functions of one person at one address: each tool with the policy, the record, the bill and the repair of its function.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { ServedIntegrations } from '../../../src/platform/gateway/integrations/catalogue.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { mcpApp, rpc } from '../../support/worlds/mcp-app.ts'
import { callback, freshClient, type Memory } from '../../support/worlds/mcp-login-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'
import { productPage, type RepairWorld, repairWorld } from '../../support/worlds/repair-world.ts'

const person = { id: 'user-1', label: 'first@acme.example' }
const both = { scope: 'tools:read tools:write' }

let world: RepairWorld
let address: string
let clientId: string
let app: ReturnType<typeof mcpApp>
const clients: Client[] = []

beforeAll(async () => {
  const file = join(temporaryFolder(), 'policy.json')
  writeFileSync(file, JSON.stringify({ rules: [{ perMinute: { write_file: 2 } }] }))
  world = await repairWorld({ TOOL_POLICY_FILE: file })
  world.filebox.state.keepsOldAccessTokens = true
  address = `${world.origin}/acme/mcp`
  await addFunction('photos', world.filebox.state.refreshToken)
  await addFunction('private', world.filebox.state.refreshToken)
  for (const name of ['files', 'photos']) await world.login(person, name)
  await world.login({ id: 'user-2', label: 'second@acme.example' }, 'private')
  const answer = await fetch(`${world.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [callback] }),
  })
  clientId = ((await answer.json()) as { client_id: string }).client_id
  app = mcpApp({ ...world, mcpUrl: address }, clientId)
})
afterEach(() => Promise.all(clients.splice(0).map((client) => client.close())))
afterAll(() => world.close())

const connectionOf = (name: string, refreshToken: string) => ({
  metadata: { name },
  spec: {
    integration: 'filebox',
    repairUrl: `${productPage}/${name}`,
    secret: { CLIENT_ID: 'client', CLIENT_SECRET: 'CANARY-client-secret', REFRESH_TOKEN: refreshToken },
  },
})

async function addFunction(name: string, refreshToken: string) {
  await world.api.post('/v0/integrations/connections').send(connectionOf(name, refreshToken)).expect(200)
  const spec = { type: 'mcp', integrationConnections: [name], runtime: { type: 'mcp' } }
  await createResource(world.api, 'functions', name, spec)
}

const card = 'text/html;profile=mcp-app'

async function connect(headers: Record<string, string>, mode: 'auto' | 'legacy' = 'auto', capabilities = {}) {
  const client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode }, capabilities })
  clients.push(client)
  await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))
  return client
}

/** Signs in with the login for one function. */
async function signedIn(more: Record<string, string> = both) {
  const browser = new HttpBrowser()
  await app.signIn(browser, await world.login(person))
  const code = (await app.allow(browser, await app.start(browser, more))).get('code') ?? ''
  const token = (await app.exchange(code)).body.access_token ?? ''
  return { browser, token, bearer: { Authorization: `Bearer ${token}` } }
}

const write = (name: string) => ({ name, arguments: { path: 'a', size: 1 } })
const namesIn = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
const toolsOf = (name: string) => ['list_files', 'write_file', 'request'].map((tool) => `${name}_${tool}`)
const all = [...toolsOf('files'), ...toolsOf('photos')]

describe('the official client', () => {
  test.each(['auto', 'legacy'] as const)(
    'logs in as the person, lists the tools of all functions and calls them (%s)',
    async (mode) => {
      const memory: Memory = {}
      const first = freshClient(address, memory, mode, callback)
      await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError)
      const browser = new HttpBrowser()
      const { url } = await world.login(person)
      await browser.get(url)
      await browser.post(url)
      const consent = await browser.follow(await browser.get(String(memory.authorizeUrl)), callback)
      const allowed = await browser.follow(await browser.post(`${consent.url}/consent`), callback)
      await first.transport.finishAuth(new URL(allowed.url).searchParams)
      const { client, transport } = freshClient(address, memory, mode, callback)
      clients.push(client)

      await client.connect(transport)
      const names = await namesIn(client)
      const called = await Promise.all(
        ['files', 'photos'].map((name) => client.callTool({ name: `${name}_list_files`, arguments: {} })),
      )

      expect(consent.text).toContain('all your apps (files, photos)')
      expect(names).toEqual(all)
      expect(called.map(({ isError }) => isError)).toEqual([false, false])
    },
  )

  test('calls with a workspace key that names the end user', async () => {
    const client = await connect({ ...keyHeaders(), 'X-Service-End-User': 'user-1' })

    expect(await namesIn(client)).toEqual(all)
    expect((await client.callTool({ name: 'photos_list_files', arguments: {} })).isError).toBe(false)
  })
})

test('a policy for the logins of a client restricts its calls of this function', async () => {
  const { bearer } = await signedIn()
  const served = world.platform.config.integrations as ServedIntegrations
  const rule = { workspace: 'acme', connection: 'photos', client: clientId, deny: ['write_file'] }
  served.replace({ version: 1, integrations: [], policies: [rule] })

  const names = await namesIn(await connect(bearer))

  expect(names).toEqual(all.filter((name) => name !== 'photos_write_file'))
  served.replace({ version: 2, integrations: [], policies: [] })
})

describe('a function with the label of a prefix', () => {
  test('names its tools by it, and by its own name for calls', async () => {
    const spec = { type: 'mcp', integrationConnections: ['photos'], runtime: { type: 'mcp' } }
    const put = (labels: Record<string, string>) =>
      world.api
        .put('/v0/functions/photos')
        .send({ metadata: { name: 'photos', labels }, spec })
        .expect(200)
    await put({ 'tool-prefix': 'filebox-work' })
    const client = await connect({ ...keyHeaders(), 'X-Service-End-User': 'user-1' })

    const names = await namesIn(client)
    const called = await Promise.all(
      ['filebox-work', 'photos'].map((name) => client.callTool({ name: `${name}_list_files`, arguments: {} })),
    )
    await put({})

    expect(names).toEqual([...toolsOf('files'), ...toolsOf('filebox-work')])
    expect(called.map(({ isError }) => isError)).toEqual([false, false])
    expect(await namesIn(await connect({ ...keyHeaders(), 'X-Service-End-User': 'user-1' }))).toEqual(all)
  })
})

const keyHeaders = () => ({ 'X-Service-Authorization': `Bearer ${world.platform.admin.key}` })

describe('a call', () => {
  test('is recorded and billed at the function behind the tool, by the account of the person there', async () => {
    const { bearer } = await signedIn()
    const client = await connect(bearer)
    const { rows } = await world.platform.pool.query(
      `select id from function_users where function_name = 'photos' and end_user_id = $1`,
      [person.id],
    )

    await client.callTool(write('photos_write_file'))

    const callsOf = async (name: string) =>
      (await world.api.get(`/v0/functions/${name}/tool-calls`).expect(200)).body.data
    await expect
      .poll(() => callsOf('photos'))
      .toContainEqual(
        expect.objectContaining({
          tool: 'write_file',
          outcome: 'succeeded',
          caller: expect.objectContaining({ kind: 'end_user', id: rows[0].id }),
        }),
      )
    expect((await callsOf('files')).map(({ tool }: { tool: string }) => tool)).not.toContain('write_file')
    const billed = () =>
      world.platform.pool
        .query(`select resource_name from usage_events where resource_type = 'mcp_server' and event_id like '%:%'`)
        .then(({ rows }) => rows.map(({ resource_name }) => resource_name))
    await expect.poll(billed).toContain('photos')
  })

  test('has the limit of its function', async () => {
    const { bearer } = await signedIn()
    await addFunction('limited', world.filebox.state.refreshToken)
    onTestFinished(() => void world.api.delete('/v0/functions/limited'))
    await world.login(person, 'limited')
    const client = await connect(bearer)
    const call = async (name: string) => (await client.callTool(write(name)))._meta?.code

    const limited = [
      await call('limited_write_file'),
      await call('limited_write_file'),
      await call('limited_write_file'),
    ]

    expect(limited).toEqual([undefined, undefined, 'rate_limited'])
    await world.api.delete('/v0/functions/limited').expect(200)
    await expect.poll(() => namesIn(client)).toEqual(all)
  })

  test.each([
    'list_files',
    'photos',
    '_list_files',
    'private_list_files',
    'photos_files_list_files',
    'unknown_list_files',
  ])('of %s finds no tool', async (name) => {
    const { bearer } = await signedIn()
    const client = await connect(bearer)

    await expect(client.callTool({ name, arguments: {} })).rejects.toThrow(`Unknown tool: ${name}`)
  })

  test('that writes needs the scope', async () => {
    const { token } = await signedIn({ scope: 'tools:read' })

    const answers = await Promise.all(
      ['photos_list_files', 'photos_write_file'].map((name) => app.ask(token, rpc(name))),
    )

    expect(answers.map(({ status }) => status)).toEqual([200, 403])
    expect(answers[1]?.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="tools:read tools:write", resource_metadata="${world.origin}/.well-known/oauth-protected-resource/acme/mcp"`,
    )
  })
})

const putPhotos = async (refreshToken: string): Promise<void> => {
  await world.api.put('/v0/integrations/connections/photos').send(connectionOf('photos', refreshToken)).expect(200)
}

describe('a broken account', () => {
  test('stays listed, leads the person to its own repair, and does not affect the others', async () => {
    const { browser, bearer } = await signedIn()
    const client = await connect(bearer)
    await putPhotos('revoked')

    const names = await namesIn(client)
    const broken = await client.callTool({ name: 'photos_list_files', arguments: {} })
    const working = await client.callTool({ name: 'files_list_files', arguments: {} })
    const page = await browser.get(String(broken._meta?.repairUrl))
    await putPhotos(world.filebox.state.refreshToken)
    const repaired = await client.callTool({ name: 'photos_list_files', arguments: {} })

    expect(names).toEqual(all)
    expect([broken.isError, broken._meta?.code]).toEqual([true, 'grant_revoked'])
    expect([working.isError, repaired.isError]).toEqual([false, false])
    const location = page.headers.get('location') ?? ''
    expect(location.split('?')[0]).toBe(`${productPage}/photos`)
    const redeemed = await world.redeem(new URL(location).searchParams.get('ticket') ?? '', 'photos').expect(200)
    expect(redeemed.body).toMatchObject({ function: 'photos', caller: { kind: 'end_user', endUserId: person.id } })
  })

  test('has one button for all functions, in a client that shows cards', async () => {
    const { bearer } = await signedIn()
    const client = await connect(bearer, 'auto', {
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: [card] } },
    })
    await putPhotos('revoked')
    onTestFinished(() => putPhotos(world.filebox.state.refreshToken))

    const names = await namesIn(client)
    const { content, _meta } = await client.callTool({ name: 'photos_list_files', arguments: {} })
    const url = String(_meta?.repairUrl)
    const show = (address: string) => client.callTool({ name: 'causeway_open_page', arguments: { url: address } })
    const [shown, refused] = [await show(url), await show(`${url}x`)]

    expect(names.filter((name) => name.includes('causeway'))).toEqual(['causeway_open_page'])
    expect(JSON.stringify(content)).toContain('with causeway_open_page and the URL')
    expect(shown.structuredContent).toMatchObject({ url })
    expect(refused.isError).toBe(true)
  })

  test('leads nobody else there', async () => {
    const { bearer } = await signedIn()
    const client = await connect(bearer)
    await putPhotos('revoked')
    onTestFinished(() => putPhotos(world.filebox.state.refreshToken))
    const stranger = new HttpBrowser()
    await mcpApp(world, clientId).signIn(stranger, await world.login({ id: 'user-2', label: 'second@acme.example' }))

    const { _meta } = await client.callTool({ name: 'photos_list_files', arguments: {} })
    const page = await stranger.get(String(_meta?.repairUrl))

    expect([page.status, page.headers.get('location')]).toEqual([403, null])
  })
})

describe('no access', () => {
  test('with the token of one function, and not to one function with the token of all', async () => {
    const { token } = await signedIn()
    const one = await mcpApp(world, clientId).tokensFor({}, await world.login(person))

    expect((await app.ask(one.access_token, rpc('files_list_files'))).status).toBe(401)
    expect((await app.ask(token, rpc('list_files'), world.mcpUrl)).status).toBe(401)
  })

  test('with the token of all in another workspace', async () => {
    await world.platform.enter('other', 'admin@other.example')
    const { token } = await signedIn()

    expect((await app.ask(token, rpc('files_list_files'), `${world.origin}/other/mcp`)).status).toBe(401)
  })

  test.each<[string, () => Promise<Record<string, string>>, number]>([
    ['without a credential', async () => ({}), 401],
    ['with a key that names nobody', async () => keyHeaders(), 400],
    ['with a key that names an unknown person', async () => ({ ...keyHeaders(), 'X-Service-End-User': 'nobody' }), 404],
    ['with a key that names nobody legibly', async () => ({ ...keyHeaders(), 'X-Service-End-User': '%ff' }), 400],
    [
      'with a login that names another person',
      async () => ({ ...(await signedIn()).bearer, 'X-Service-End-User': 'user-2' }),
      403,
    ],
  ])('%s', async (_how, headers, status) => {
    expect((await app.ask(undefined, rpc('files_list_files'), address, await headers())).status).toBe(status)
  })

  test('for a member, who is no end user', async () => {
    const { platform, origin } = world
    const browser = new HttpBrowser()
    await world.member('admin@acme.example')
    const page = await app.start(browser)
    const shown = await browser.follow(
      await browser.post(`${page.url}/sign-in`, { email: 'admin@acme.example', password: 'open sesame' }),
      callback,
    )

    expect(platform.admin.workspace).toBe('acme')
    expect(shown.url.startsWith(origin)).toBe(true)
    expect(shown.text).toContain('don’t have access')
  })
})
