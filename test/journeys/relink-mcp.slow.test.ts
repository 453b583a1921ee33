// The MCP client of an agent framework keeps one address and one session while the account is revoked and re-linked.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createMCPClient } from '@ai-sdk/mcp'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { waitFor } from '../support/oracles/wait-for.ts'
import { createRedisDatabase, createTestDatabase, temporaryFolder } from '../support/processes/stores.ts'
import { button, heading, linkFilebox } from './filebox-visit.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor } from './watched-browser.ts'

const folder = temporaryFolder()
let demo: RunningDemo
let browser: Browser
let keys: { platformKey: string; causewayKey: string }

beforeAll(async () => {
  const stores = { DATABASE_URL: await createTestDatabase(), REDIS_URL: await createRedisDatabase() }
  const starting = [runDemo({ DEMO_DATA_DIR: folder, ...stores }), launchBrowser()] as const
  ;[demo, browser] = await Promise.all(starting)
  keys = JSON.parse(readFileSync(join(folder, 'first-data.json'), 'utf8'))
})
afterAll(async () => {
  await browser?.close()
  await demo?.stop()
  rmSync(folder, { recursive: true, force: true })
})

async function agentAt(address: string) {
  const headers = { 'X-Service-Authorization': `Bearer ${keys.platformKey}` }
  const sessions = new Set<string>()
  const watched: typeof fetch = async (input, init) => {
    const answer = await fetch(input, init)
    const given = answer.headers.get('mcp-session-id')
    if (given) sessions.add(given)
    return answer
  }
  const client = await createMCPClient({ transport: { type: 'http', url: address, headers, fetch: watched } })
  const tools = await client.tools()
  return {
    tools: Object.keys(tools),
    async listFiles() {
      const result = await tools.list_files?.execute({}, { toolCallId: 'call', messages: [] })
      const { isError, content } = result as { isError?: boolean; content: Array<{ text: string }> }
      return { isError: isError === true, text: content[0]?.text ?? '' }
    },
    sessions,
    close: () => client.close(),
  }
}

async function causeway(method: string, path: string, body?: object) {
  const answer = await fetch(`${demo.places.causeway}/api/v1${path}`, {
    method,
    headers: { Authorization: `Bearer ${keys.causewayKey}`, 'Content-Type': 'application/json' },
    ...(body && { body: JSON.stringify(body) }),
  })
  return (await answer.json()) as Record<string, never> & { url: string; data: Array<{ id: string }> }
}

test('an agent lists and calls tools, gets an error when the grant is revoked, and works again after a re-link', async () => {
  const page = await newVisitor(browser)
  await linkFilebox(page, demo.places, 'first')
  const agent = await agentAt(await page.locator('.address').innerText())
  const before = await agent.listFiles()

  await page.goto(`${demo.places.filebox}/account`)
  await button(page, 'Remove access for Acme').click()
  await page.getByText('No app has access').waitFor()
  const revoked = await agent.listFiles()

  const { data } = await causeway('GET', '/connections')
  const { url } = await causeway('POST', `/connections/${data[0]?.id}/relink-sessions`, { reason: 'it was revoked' })
  await page.goto(url)
  await button(page, 'Continue to Filebox').click()
  await heading(page, 'Acme wants to access your Filebox').waitFor()
  await button(page, 'Allow').click()
  const after = await waitFor(
    'the agent can work again',
    async () => {
      const result = await agent.listFiles()
      return !result.isError && result
    },
    { withinMs: 60_000, everyMs: 500 },
  )
  await agent.close()

  expect(agent.tools).toEqual(expect.arrayContaining(['list_files', 'read_file', 'add_file']))
  expect(before.text).toContain('Launch checklist.md')
  expect(revoked).toEqual({ isError: true, text: expect.stringContaining('needs re-linking') })
  expect(after.text).toContain('Launch checklist.md')
  expect(agent.sessions.size).toBe(1)
  expect(page.complaints).toEqual([])
})
