// From a call that fails to the answer, by each form of the answer, for each gap, with the official client and a browser:
// nothing is linked yet, the grant is dead, a permission is missing. Cards are shown in a host of the official package.
// `TEST_TIMES=1` prints how long each took, with all pages, but without a person who reads.

import { performance } from 'node:perf_hooks'
import type { Client } from '@modelcontextprotocol/client'
import { CallToolResultSchema } from '@modelcontextprotocol/sdk/types.js'
import { build } from 'esbuild'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { waitFor } from '../support/oracles/wait-for.ts'
import { button } from './filebox-visit.ts'
import { connectedClient } from './mcp-client.ts'
import { type Called, isConnected, linkFirst, type RepairVisit, reconnect, repairVisit } from './repair-visit.ts'
import type { WatchedPage } from './watched-browser.ts'

let visit: RepairVisit
let host: string
const seconds: Array<{ told: string; seconds: number }> = []

beforeAll(async () => {
  ;[visit, host] = await Promise.all([repairVisit(), bundledHost()])
}, 240_000)
afterAll(async () => {
  await visit?.close()
  if (!process.env.TEST_TIMES) return
  for (const told of [undefined, ...new Set(seconds.map((each) => each.told))]) {
    const own = seconds.flatMap((each) => (each.told === (told ?? each.told) ? each.seconds : []))
    console.info(`${told ?? 'all'}: median of ${own.length} repairs: ${median(own).toFixed(2)} s`)
  }
})

const median = (values: readonly number[]) => values.toSorted((one, other) => one - other)[values.length >> 1] ?? 0

const extensions = { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } }
const pages = { elicitation: { url: {} } }

/** The half of the official package that clients use. */
async function bundledHost(): Promise<string> {
  const contents = `export { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge'`
  const stdin = { contents, resolveDir: import.meta.dirname }
  const { outputFiles } = await build({ stdin, bundle: true, format: 'iife', globalName: 'apps', write: false })
  return outputFiles[0]?.text ?? ''
}

/** The policy that hosts apply if a card declares nothing (MCP Apps, Host Behavior). */
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'"

const hostScript = `
  globalThis.said = []
  globalThis.show = async (html, result) => {
    const card = document.querySelector('iframe')
    const bridge = new apps.AppBridge(null, { name: 'host', version: '1.0.0' }, { openLinks: {}, message: { text: {} } })
    bridge.onopenlink = async ({ url }) => (window.open(url), {})
    bridge.onmessage = async ({ content }) => (said.push(content[0].text), {})
    bridge.oninitialized = () => bridge.sendToolInput({ arguments: {} }).then(() => bridge.sendToolResult(result))
    await bridge.connect(new apps.PostMessageTransport(card.contentWindow, card.contentWindow))
    card.srcdoc = html
  }`

/** What a client does with the card of a tool result. Returns the page that the button opens. */
async function openByCard(client: Client, shower: WatchedPage, failed: Called): Promise<WatchedPage> {
  const name = 'causeway_open_page'
  const tool = (await client.listTools()).tools.find((each) => each.name === name)
  const result = await client.callTool({ name, arguments: { url: failed._meta?.repairUrl ?? '' } })
  CallToolResultSchema.parse(result)
  const { ui } = (tool as unknown as { _meta: { ui: { resourceUri: string } } })._meta
  const { contents } = await client.readResource({ uri: ui.resourceUri })
  const html = (contents[0] as { text: string }).text.replace(
    '<head>',
    `<head><meta http-equiv="Content-Security-Policy" content="${policy}">`,
  )
  await shower.goto('about:blank')
  await shower.setContent('<iframe sandbox="allow-scripts" width="400" height="200"></iframe>')
  await shower.addScriptTag({ content: host })
  await shower.addScriptTag({ content: hostScript })
  await shower.evaluate(([card, shown]) => (globalThis as never as Host).show(card, shown), [html, result] as const)
  const opened = shower.waitForEvent('popup')
  await button(shower.frameLocator('iframe') as never, 'Continue').click()
  return Object.assign(await opened, { complaints: [] })
}

type Host = { show(html: string, result: unknown): Promise<void>; said: string[] }

async function sayDone(shower: WatchedPage): Promise<string[]> {
  await button(shower.frameLocator('iframe') as never, 'Done, try again').click()
  await shower.waitForFunction('said.length > 0')
  return shower.evaluate(() => (globalThis as never as Host).said)
}

/** The person unchecked a permission at the third party. */
async function takePermission(scope: string) {
  const { places } = visit.demo
  const address = new URL(visit.stores.DATABASE_URL)
  address.pathname += '_filebox'
  const filebox = new pg.Client({ connectionString: address.href })
  await filebox.connect()
  const { rowCount } = await filebox.query(
    `update records set payload = replace(payload::text, $1, '')::jsonb where payload::text like '%' || $1 || '%'`,
    [` ${scope}`],
  )
  await filebox.end()
  if (!rowCount) throw new Error(`nothing granted ${scope} at ${places.filebox}`)
}

type Person = { page: WatchedPage; repair(page: WatchedPage, url: string): Promise<void> }

/** How a client that gets this form of answer comes to the answer of its call. */
type Way = (client: Client, call: Call, person: Person) => Promise<{ told: unknown; answered: Called }>

type Call = { name: string; arguments: Record<string, unknown> }

const called = async (client: Client, call: Call) => (await client.callTool(call)) as Called

const bySameCall: Way = async (client, call, { page, repair }) => {
  let told: unknown
  client.setRequestHandler('elicitation/create', async ({ params }) => {
    told = 'url' in params
    await repair(page, 'url' in params ? params.url : '')
    return { action: 'accept' }
  })
  return { answered: await called(client, call), told }
}

const byError: Way = async (client, call, { page, repair }) => {
  const complete: string[] = []
  client.setNotificationHandler('notifications/elicitation/complete', ({ params }) => {
    complete.push(params.elicitationId)
  })
  const { code, data } = await client.callTool(call).catch((error) => error)
  const [asked] = data.elicitations
  await repair(page, asked.url)
  await waitFor('the client is told', () => complete.includes(asked.elicitationId))
  return { answered: await called(client, call), told: code === -32_042 }
}

const byCard: Way = async (client, call, { page, repair }) => {
  const failed = await called(client, call)
  const opened = await openByCard(client, page, failed)
  await repair(opened, opened.url())
  if ((await sayDone(page))[0] !== 'Done. Please try again.') throw new Error('the card said nothing')
  return { answered: await called(client, call), told: failed._meta?.code }
}

const bySentence: Way = async (client, call, { page, repair }) => {
  const failed = await called(client, call)
  const url = failed._meta?.repairUrl ?? ''
  await repair(page, url)
  return { answered: await called(client, call), told: failed.content[0]?.text.includes(url) && failed._meta?.code }
}

const gaps = ['not_linked', 'grant_revoked', 'insufficient_scope'] as const

async function bringAbout(gap: (typeof gaps)[number], page: WatchedPage): Promise<Person['repair']> {
  if (gap === 'grant_revoked') await visit.removeAccess(page)
  if (gap === 'insufficient_scope') await takePermission('files.write')
  if (gap !== 'not_linked') return reconnect
  return async (person, url) => {
    await linkFirst(person, url)
    await isConnected(person)
  }
}

async function filesNamed(client: Client, name: string): Promise<number> {
  const listed = await called(client, { name: 'list_files', arguments: { query: name } })
  return JSON.parse(listed.content[0]?.text ?? '{}').files.length
}

describe.each([
  ['2026-07-28', 'opens URLs', 'auto', pages, bySameCall],
  ['2025-11-25', 'opens URLs', 'legacy', pages, byError],
  ['2026-07-28', 'shows cards', 'auto', { extensions }, byCard],
  ['2025-11-25', 'shows cards', 'legacy', { extensions }, byCard],
  ['2026-07-28', 'declares nothing', 'auto', {}, bySentence],
  ['2025-11-25', 'declares nothing', 'legacy', {}, bySentence],
] as const)('%s: a client that %s', (revision, declares, mode, capabilities, way) => {
  const name = `${revision}-${declares.replaceAll(' ', '-')}`
  let own: Awaited<ReturnType<RepairVisit['unlinkedFunction']>>

  beforeAll(async () => {
    own = await visit.unlinkedFunction(name)
  }, 60_000)

  test.each(gaps)(
    'gets the answer after the repair of %s, and the app sees the call once',
    async (gap) => {
      const repair = await bringAbout(gap, own.person)
      const client = await connectedClient(own.mcpUrl, own.token, { mode, capabilities })
      const call = { name: 'add_file', arguments: { name: `${name}-${gap}.txt`, content: 'x' } }
      const startedAt = performance.now()

      const { told, answered } = await way(client, call, { page: own.person, repair })

      seconds.push({ told: `${revision}, ${declares}`, seconds: (performance.now() - startedAt) / 1_000 })
      expect(told).toBe(declares === 'opens URLs' || gap)
      expect(answered.isError).toBe(false)
      expect(await filesNamed(client, call.arguments.name)).toBe(1)
      expect(own.person.complaints).toEqual([])
      await client.close()
    },
    120_000,
  )
})
