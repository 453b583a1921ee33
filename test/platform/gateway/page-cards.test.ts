// A client that shows cards (MCP Apps) gets a tool that shows its user a button, where a call needs a person.
import type { Client } from '@modelcontextprotocol/client'
import { afterAll, beforeEach, describe, expect, test } from 'vitest'
import { productPage, repairWorld } from '../../support/worlds/repair-world.ts'

const world = await repairWorld()
const first = await world.endUser('user-1')
const second = await world.endUser('user-2')

afterAll(() => world.close())
beforeEach(async () => {
  await world.relink()
})

const cards = { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } } }
const openPage = 'causeway_open_page'

type Called = {
  isError?: boolean
  content: Array<{ text: string }>
  structuredContent?: object
  _meta?: { repairUrl?: string }
}

const namesAt = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)

const show = async (client: Client, url: string) =>
  (await client.callTool({ name: openPage, arguments: { url } })) as unknown as Called

async function failedCall(client: Client): Promise<Called> {
  world.killGrant()
  return (await client.callTool({ name: 'list_files', arguments: {} })) as unknown as Called
}

describe.each(['auto', 'legacy'] as const)('a client that shows cards (%s)', (mode) => {
  test('is told to show a button, and its card opens the page of the failed call', async () => {
    const client = await world.connect(first.token, { mode, capabilities: cards })

    const tool = (await client.listTools()).tools.find(({ name }) => name === openPage)
    const failed = await failedCall(client)
    const url = failed._meta?.repairUrl ?? ''
    const shown = await show(client, url)
    const uri = (tool?._meta as { ui?: { resourceUri: string } } | undefined)?.ui?.resourceUri ?? ''
    const { contents } = await client.readResource({ uri })

    expect(failed.content[0]?.text).toContain(`show the user a button with ${openPage} and the URL ${url}`)
    expect(shown.structuredContent).toEqual({ url, message: expect.any(String) })
    expect(uri).toMatch(/^ui:\/\//)
    expect(contents).toEqual([expect.objectContaining({ uri, mimeType: 'text/html;profile=mcp-app' })])
  })

  test('shows only pages of its own calls', async () => {
    const own = await world.connect(first.token, { mode, capabilities: cards })
    const other = await world.connect(second.token, { mode, capabilities: cards })
    const url = (await failedCall(own))._meta?.repairUrl ?? ''

    const refused = await Promise.all(
      [
        [other, url],
        [own, url.replace('/oauth/repair/', '/oauth/approval/')],
        [own, `https://phishing.example/oauth/repair/${url.split('/').at(-1)}`],
        [own, productPage],
        [own, 'javascript:alert(1)'],
      ].map(([client, address]) => show(client as Client, address as string)),
    )

    for (const result of refused) {
      expect(result).toMatchObject({ isError: true, content: [{ text: 'No call of this user asked for this page.' }] })
    }
  })
})

test.each([
  ['declares nothing', {}],
  ['opens pages itself', { ...cards, elicitation: { url: {} } }],
  ['shows other cards', { extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/uri-list'] } } }],
])('a client that %s has no such tool', async (_, capabilities) => {
  const client = await world.connect(first.token, { capabilities })

  expect(await namesAt(client)).not.toContain(openPage)
  await expect(show(client, productPage)).rejects.toThrow('Unknown tool')
})

test('a workspace key has no such tool, because it names no person', async () => {
  const client = await world.connect(world.platform.admin.key, { capabilities: cards })

  const failed = await failedCall(client)

  expect(await namesAt(client)).not.toContain(openPage)
  expect(failed.content[0]?.text).toContain('ask the user to open')
})

test('a client without cards is offered no resources', async () => {
  const client = await world.connect(first.token)

  expect(client.getServerCapabilities()?.resources).toBeUndefined()
})
