// A vendor's server asks for a permission that the grant lacks: the same ladder as for a dead grant.
import type { ProtocolError } from '@modelcontextprotocol/client'
import { afterAll, afterEach, expect, test } from 'vitest'
import { productPage } from '../../support/worlds/repair-world.ts'
import { vendorWorld } from '../../support/worlds/vendor-world.ts'

const world = await vendorWorld({ repairUrl: productPage })
const { state } = world.vendor

afterAll(() => world.close())
afterEach(() => {
  state.fault = undefined
})

/** The person grants the permission. */
const widen = async () => {
  state.fault = undefined
  await world.relink(state.refreshToken)
}

const [tool] = (await (await world.connect()).listTools()).tools
const call = { name: tool?.name ?? '', arguments: {} }
const capabilities = { elicitation: { url: {} } }

test('a client that declares nothing gets the sentence, the scope and the URL', async () => {
  const client = await world.connect()
  state.fault = 'insufficient_scope'

  const failed = await client.callTool(call)

  expect(failed).toMatchObject({
    isError: true,
    content: [{ text: expect.stringContaining(`Vendor needs more permissions for this call: ask the user to open`) }],
    _meta: { code: 'insufficient_scope', scope: 'files:write', repairUrl: productPage },
  })
})

test('2026-07-28: the same call is answered when the permission was granted', async () => {
  const client = await world.connect('auto', { capabilities })
  const urls: string[] = []
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    urls.push('url' in params ? params.url : '')
    await widen()
    return { action: 'accept' }
  })
  state.fault = 'insufficient_scope'

  const answered = await client.callTool(call)

  expect(urls).toEqual([productPage])
  expect(answered.isError ?? false).toBe(false)
})

test('2025-11-25: error -32042 names the scope, and the next call works', async () => {
  const client = await world.connect('legacy', { capabilities })
  state.fault = 'insufficient_scope'

  const refused = await client.callTool(call).catch((error: ProtocolError) => error)
  await widen()
  const answered = await client.callTool(call)

  expect(refused).toMatchObject({ code: -32_042, data: { elicitations: [{ mode: 'url', url: productPage }] } })
  expect(answered.isError ?? false).toBe(false)
})

test('before an account is linked there is one tool, which leads to the link and then says that there are more', async () => {
  await world.unlink()
  const client = await world.connect('auto', { capabilities })
  client.setRequestHandler('elicitation/create', async () => {
    await world.relink(state.refreshToken)
    return { action: 'accept' }
  })

  const before = (await client.listTools()).tools.map(({ name }) => name)
  const answered = await client.callTool({ name: 'connect_account', arguments: {} })
  const after = (await client.listTools()).tools.map(({ name }) => name)

  expect(before).toEqual(['connect_account'])
  expect(answered).toMatchObject({ isError: false, content: [{ text: expect.stringContaining('is connected') }] })
  expect(after).toContain(tool?.name)
  expect(after).not.toContain('connect_account')
})
