// From the address of a function to a tool call, with the official client and a browser, without prepared credentials.
import { UnauthorizedError } from '@modelcontextprotocol/client'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../support/oracles/wait-for.ts'
import { freshClient, type McpLoginWorld, type Memory, mcpLoginWorld } from '../support/worlds/mcp-login-world.ts'
import { startListener } from './mcp-client.ts'
import { launchBrowser, newVisitor } from './watched-browser.ts'

let world: McpLoginWorld
let browser: Browser
let listener: Awaited<ReturnType<typeof startListener>>

beforeAll(async () => {
  world = await mcpLoginWorld()
  listener = await startListener()
  browser = await launchBrowser()
}, 180_000)
afterAll(async () => {
  await browser?.close()
  listener?.close()
  await world?.close()
})

/** The person's steps in the browser. */
async function allowInBrowser(authorizeUrl: URL): Promise<URLSearchParams> {
  const page = await newVisitor(browser)
  // The person is not signed in yet.
  await page.goto(authorizeUrl.href)
  const { url } = await world.login()
  const tab = await page.context().newPage()
  await tab.goto(url)
  await tab.getByRole('button', { name: 'Continue' }).click()
  await tab.getByText('You’re signed in').waitFor()
  await page.getByRole('link', { name: 'Continue' }).click()
  await page.getByText('Test client').waitFor()
  await page.getByRole('button', { name: 'Allow' }).click()
  const parameters = await waitFor('the code has come', () => listener.received.pop())
  expect(page.complaints).toEqual([])
  await page.context().close()
  return parameters
}

test.each(['auto', 'legacy'] as const)(
  'address, 401, discovery, registration, login, tool call, refresh, revocation (%s)',
  async (mode) => {
    const memory: Memory = {}
    const first = freshClient(world.mcpUrl, memory, mode, listener.url)
    await expect(first.client.connect(first.transport)).rejects.toThrow(UnauthorizedError)
    const { authorizeUrl } = memory
    expect(authorizeUrl?.searchParams.get('resource')).toBe(world.mcpUrl)
    expect(authorizeUrl?.searchParams.get('scope')).toContain('tools:read')

    await first.transport.finishAuth(await allowInBrowser(authorizeUrl as URL))
    const second = freshClient(world.mcpUrl, memory, mode, listener.url)
    await second.client.connect(second.transport)
    const called = await second.client.callTool({ name: 'list_files', arguments: { query: 'a' } })
    expect(called.isError).toBe(false)

    const refreshToken = memory.tokens?.refresh_token
    Object.assign(memory.tokens as object, { access_token: 'not.a.token' })
    expect((await second.client.callTool({ name: 'list_files', arguments: {} })).isError).toBe(false)
    expect(memory.tokens?.refresh_token).not.toBe(refreshToken)

    const { body: grants } = await world.api.get('/v0/functions/files/grants').expect(200)
    await world.api.delete(`/v0/functions/files/grants/${grants[0].id}`).expect(200)
    await waitFor('the client is refused', () =>
      second.client.callTool({ name: 'list_files', arguments: {} }).then(
        () => false,
        () => true,
      ),
    )
    await Promise.all([first.client.close(), second.client.close()])
  },
  180_000,
)
