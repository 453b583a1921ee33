// A vendor's server that lists its tools no longer, for a person who has its account beside others.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { mcpApp, rpc } from '../../support/worlds/mcp-app.ts'
import { callback } from '../../support/worlds/mcp-login-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'
import { productPage } from '../../support/worlds/repair-world.ts'
import { type VendorWorld, vendorWorld } from '../../support/worlds/vendor-world.ts'

const endUser = { id: 'user-1', label: 'first@acme.example' }

let world: VendorWorld
let origin: string
let client: Client

beforeAll(async () => {
  const port = await freePort()
  origin = `http://127.0.0.1:${port}`
  world = await vendorWorld({ env: { PUBLIC_URL: origin, PORT: String(port) } })
  await world.platform.listen(port)
  const { state } = world.vendor
  await world.api.post('/v0/integrations/connections').send(connectionOf('dead', state.refreshToken)).expect(200)
  await world.api.post('/v0/integrations/connections').send(connectionOf('unlisted', 'revoked')).expect(200)
  await createResource(world.api, 'functions', 'dead', { type: 'mcp', integrationConnections: ['dead'] })
  const integrationConnections = ['unlisted', 'linked']
  await createResource(world.api, 'functions', 'both', { type: 'mcp', integrationConnections })
  await login('dead')
  await login('vendor')
  await namesAt('dead')
  // The vendor keeps one grant, so this ends the other one.
  await world.relink(state.refreshToken)
  await namesAt('vendor')
  client = await connectFor(endUser)
})
afterEach(() => {
  world.vendor.state.fault = undefined
})
afterAll(async () => {
  await client.close()
  await world.close()
})

const connectionOf = (name: string, REFRESH_TOKEN: string) => ({
  metadata: { name },
  spec: {
    integration: 'vendor',
    config: world.vendor.config,
    secret: { CLIENT_ID: 'client', CLIENT_SECRET: 'CANARY-client-secret', REFRESH_TOKEN },
    repairUrl: productPage,
  },
})

async function connectFor({ id }: { id: string }) {
  const connected = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const headers = { 'X-Service-Authorization': `Bearer ${world.platform.admin.key}`, 'X-Service-End-User': id }
  await connected.connect(
    new StreamableHTTPClientTransport(new URL(`${origin}/acme/mcp`), { requestInit: { headers } }),
  )
  return connected
}

type Listed = { result?: { tools: { name: string }[] }; error?: { code: number; data: { code: string } } }

const addressOf = (name: string) => `${origin}/acme/functions/${name}/mcp`
const login = async (name: string, person = endUser): Promise<{ url: string }> =>
  (await world.api.post(`/v0/functions/${name}/logins`).send({ endUser: person }).expect(200)).body

/** A person's MCP client at the address of one function. */
async function loggedIn(name: string, person = endUser) {
  const registered = await fetch(`${origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ redirect_uris: [callback] }),
  })
  const { client_id } = (await registered.json()) as { client_id: string }
  const app = mcpApp({ origin, mcpUrl: addressOf(name), login: () => login(name, person) }, client_id)
  const { access_token } = await app.tokensFor({ scope: 'tools:read tools:write' })
  return async (...request: Parameters<typeof rpc>) => (await app.ask(access_token, rpc(...request))).json()
}

async function namesAt(name: string) {
  const { result, error } = (await (await world.post(addressOf(name), rpc('', 'tools/list'))).json()) as Listed
  return result?.tools.map((tool) => tool.name) ?? error
}

const tools = ['echo', 'wait', 'picture', 'chatty', 'leak', 'refuse']
const all = ['dead', 'vendor'].flatMap((name) => tools.map((tool) => `${name}_${tool}`))
const namesOfPerson = async () => (await client.listTools()).tools.map(({ name }) => name).toSorted()

describe('at the address of all functions of a person', () => {
  test('a dead grant hides no tools: its own lead to the repair, and those of others work', async () => {
    const dead = await client.callTool({ name: 'dead_echo', arguments: {} })
    const names = await namesOfPerson()
    const other = await client.callTool({ name: 'vendor_echo', arguments: {} })

    expect(names).toEqual(all.toSorted())
    expect(dead).toMatchObject({ isError: true, _meta: { code: 'grant_revoked', repairUrl: productPage } })
    expect(other.isError ?? false).toBe(false)
  })

  test('a server that does not answer hides no tools', async () => {
    // The list of other secrets is read again.
    await world.relink(world.vendor.state.refreshToken)
    world.vendor.state.fault = 'never_lists'

    expect(await namesOfPerson()).toEqual(all.toSorted())
  })
})

describe('at the address of its function a dead grant', () => {
  test('is reported to the key of the product, which checks it so', async () => {
    expect(await namesAt('dead')).toMatchObject({ code: -32_603, data: { code: 'grant_revoked' } })
  })

  test('hides no tools from the client of a person, whose call leads to the repair', async () => {
    const ask = await loggedIn('dead')

    const called = await ask('echo')
    const listed = (await ask('', 'tools/list')) as Listed

    expect(listed.result?.tools.map(({ name }) => name)).toEqual(tools)
    expect(called).toMatchObject({
      result: { isError: true, _meta: { repairUrl: expect.stringContaining('/oauth/repair/') } },
    })
  })
})

describe('an account whose tools were never listed', () => {
  const other = { id: 'user-2', label: 'second@acme.example' }

  test('is one tool beside those of other accounts, and leads a login to the repair', async () => {
    const ask = await loggedIn('both', other)

    const listed = (await ask('', 'tools/list')) as Listed
    const called = await ask('connect_account')

    expect(listed.result?.tools.map(({ name }) => name)).toEqual(['connect_account', ...tools])
    expect(called).toMatchObject({
      result: { isError: true, _meta: { code: 'grant_revoked', repairUrl: expect.stringContaining('/oauth/repair/') } },
    })
  })

  test('is listed at the address of the person, until its account is connected again', async () => {
    await login('both', other)
    const mine = await connectFor(other)
    const names = async () => (await mine.listTools()).tools.map(({ name }) => name)
    const call = { name: 'both_connect_account', arguments: {} }

    const before = await names()
    const failed = await mine.callTool(call)
    const { refreshToken } = world.vendor.state
    await world.api
      .put('/v0/integrations/connections/unlisted')
      .send(connectionOf('unlisted', refreshToken))
      .expect(200)
    const connected = await mine.callTool(call)
    const after = await names()
    await mine.close()

    expect(before).toEqual(['connect_account', ...tools].map((name) => `both_${name}`))
    expect(failed).toMatchObject({ isError: true, _meta: { code: 'grant_revoked', repairUrl: productPage } })
    expect(connected).toMatchObject({ isError: false, content: [{ text: expect.stringContaining('is connected') }] })
    expect(after).not.toContain('both_connect_account')
  })
})
