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
  const { config, state } = world.vendor
  const secret = { CLIENT_ID: 'client', CLIENT_SECRET: 'CANARY-client-secret', REFRESH_TOKEN: state.refreshToken }
  const spec = { integration: 'vendor', config, secret, repairUrl: productPage }
  await world.api
    .post('/v0/integrations/connections')
    .send({ metadata: { name: 'dead' }, spec })
    .expect(200)
  await createResource(world.api, 'functions', 'dead', { type: 'mcp', integrationConnections: ['dead'] })
  await login('dead')
  await login('vendor')
  await namesAt('dead')
  // The vendor keeps one grant, so this ends the other one.
  await world.relink(state.refreshToken)
  await namesAt('vendor')
  client = new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
  const headers = { 'X-Service-Authorization': `Bearer ${world.platform.admin.key}`, 'X-Service-End-User': endUser.id }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${origin}/acme/mcp`), { requestInit: { headers } }))
})
afterEach(() => {
  world.vendor.state.fault = undefined
})
afterAll(async () => {
  await client.close()
  await world.close()
})

type Listed = { result?: { tools: { name: string }[] }; error?: { code: number; data: { code: string } } }

const addressOf = (name: string) => `${origin}/acme/functions/${name}/mcp`
const login = async (name: string): Promise<{ url: string }> =>
  (await world.api.post(`/v0/functions/${name}/logins`).send({ endUser }).expect(200)).body

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
    const registered = await fetch(`${origin}/oauth/register`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({ redirect_uris: [callback] }),
    })
    const { client_id } = (await registered.json()) as { client_id: string }
    const app = mcpApp({ origin, mcpUrl: addressOf('dead'), login: () => login('dead') }, client_id)
    const { access_token } = await app.tokensFor({ scope: 'tools:read tools:write' })

    const called = await (await app.ask(access_token, rpc('echo'))).json()
    const listed = (await (await app.ask(access_token, rpc('', 'tools/list'))).json()) as Listed

    expect(listed.result?.tools.map(({ name }) => name)).toEqual(tools)
    expect(called).toMatchObject({
      result: { isError: true, _meta: { repairUrl: expect.stringContaining('/oauth/repair/') } },
    })
  })
})
