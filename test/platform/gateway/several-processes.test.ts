// A function with a vendor's server, served by two processes.
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type VendorWorld, vendorWorld } from '../../support/worlds/vendor-world.ts'

let world: VendorWorld
let twin: Awaited<ReturnType<VendorWorld['twin']>>

afterEach(() => world.close())

const echo = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'echo', arguments: { a: 1 } } }

describe('the next call in one process is rejected after another process removed', () => {
  const path = '/v0/functions/vendor'
  const spec = { type: 'mcp', integrationConnections: ['linked'] }
  const call = () => world.post(world.url, echo)
  const vendorCalls = () => world.vendor.state.requests.filter(({ body }) => body.includes('tools/call')).length

  beforeEach(async () => {
    world = await vendorWorld()
    twin = await world.twin()
    // Fills all caches.
    for (let calls = 0; calls < 3; calls++) expect((await call()).status).toBe(200)
  })

  test.each([
    ['the function', 404, async () => twin.api.delete(path).expect(200)],
    [
      'the function by disabling it',
      404,
      async () => twin.api.put(path).send({ metadata: { name: 'vendor' }, spec: { ...spec, enabled: false } }),
    ],
  ])('%s', async (_what, status, take) => {
    await take()

    expect((await call()).status).toBe(status)
    expect(vendorCalls()).toBe(3)
  })

  test('the connection', async () => {
    await twin.api
      .put(path)
      .send({ metadata: { name: 'vendor' }, spec: { ...spec, integrationConnections: [] } })
      .expect(200)
    await twin.api.delete('/v0/integrations/connections/linked').expect(200)

    expect(await (await call()).json()).toMatchObject({ error: { message: 'Unknown tool: echo.' } })
    expect(vendorCalls()).toBe(3)
  })

  test('the grant: calls use the new secrets', async () => {
    await world.post(twin.url, echo)
    await world.relink('revoked-since')

    const answer = await (await world.post(twin.url, echo)).json()

    expect(answer).toMatchObject({ result: { isError: true, _meta: { code: 'grant_revoked' } } })
    expect(vendorCalls()).toBe(4)
  })
})

test('a session continues in another process, which opens its own at the vendor', async () => {
  world = await vendorWorld({ age: 'sessions' })
  twin = await world.twin()
  const opened = await world.post(world.url, {
    jsonrpc: '2.0',
    id: 0,
    method: 'initialize',
    params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1.0.0' } },
  })
  const session = { 'Mcp-Session-Id': opened.headers.get('mcp-session-id') ?? '' }
  const sessionsBefore = world.vendor.state.sessionsOpened
  const results = []

  for (const url of [world.url, twin.url, world.url, twin.url]) {
    results.push(/"structuredContent":(\{.*?\}\})/.exec(await (await world.post(url, echo, session)).text())?.[1])
  }

  expect(results).toEqual(Array.from({ length: 4 }, () => '{"args":{"a":1}}'))
  expect(world.vendor.state.sessionsOpened - sessionsBefore).toBe(2)
})
