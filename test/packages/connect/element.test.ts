// The button on a tenant's page with a strict policy, in a real browser, against the running program.
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Browser } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Causeway, createCauseway } from '../../../packages/client/src/client.ts'
import { launchBrowser, newVisitor, type WatchedPage } from '../../journeys/watched-browser.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

let world: OnboardingWorld
let causeway: Causeway
let portal: Server
let at: string
let browser: Browser
let built: string
const states = new Map<string, string>()

beforeAll(async () => {
  built = temporaryFolder()
  const args = [join(root, 'node_modules/typescript/bin/tsc'), '-p', join(root, 'packages/connect'), '--outDir', built]
  const { status, stdout } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(stdout)
  world = await startOnboarding()
  causeway = createCauseway({ url: world.url, apiKey: world.key })
  portal = createServer((req, res) => void serve(req, res))
  await new Promise<void>((resolve) => portal.listen(0, '127.0.0.1', resolve))
  at = `http://127.0.0.1:${(portal.address() as AddressInfo).port}`
  await causeway.tenants.update('acme', { returnUrls: [`${at}/connected`] })
  browser = await launchBrowser()
})
afterEach(() => world.provider.calm())
afterAll(async () => {
  await browser?.close()
  portal?.close()
  await world?.close()
})

/** A tenant's server in four addresses. */
async function serve(req: IncomingMessage, res: ServerResponse) {
  const url = new URL(req.url ?? '/', at)
  const page = (html: string) => {
    const policy = `default-src 'none'; script-src 'self'; form-action 'self' ${world.url}`
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
    res.end(
      `<!doctype html><html lang="en"><title>Acme</title><script type="module" src="/elements.js"></script>${html}`,
    )
  }
  if (url.pathname.endsWith('.js')) {
    res.writeHead(200, { 'content-type': 'text/javascript' }).end(readFileSync(join(built, url.pathname)))
  } else if (url.pathname === '/connect') {
    const endUser = { id: `user of ${await textOf(req)}` }
    const returnUrl = `${at}/connected`
    const begun = await causeway.connect.begin({ tenantId: 'acme', integrationId: 'provider', endUser, returnUrl })
    states.set(begun.connectSessionId, begun.state)
    res.writeHead(303, { location: begun.url }).end()
  } else if (url.pathname === '/connected') {
    const state = states.get(url.searchParams.get('connect_session_id') ?? '')
    const { status, cause } = await causeway.connect.finish(url, state)
    page(
      `<causeway-connected status="${status}" cause-code="${cause?.code ?? ''}">Close this window.</causeway-connected>`,
    )
  } else {
    page(`<main><causeway-connect action="/connect" ${url.search.slice(1)}>Connect Files
      <input type="hidden" name="csrf" value="token-1"></causeway-connect></main>`)
  }
}

async function textOf(req: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

async function openPage(attributes = ''): Promise<WatchedPage> {
  const visitor = await newVisitor(browser)
  await visitor.goto(`${at}/?${attributes}`)
  await visitor.evaluate(`
    globalThis.told = []
    for (const name of ['linked', 'failed', 'closed'])
      document.addEventListener(name, ({ detail }) => told.push({ name, ...detail }))`)
  return visitor
}

const told = (page: WatchedPage) => page.evaluate<unknown[]>('told')

/** Presses the button, and agrees in the window that opens. */
async function connectIn(page: WatchedPage) {
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect Files' }).click()
  const popup = await opening
  await popup
    .getByRole('button', { name: /continue|connect/i })
    .first()
    .click()
}

test('the whole page goes by default, with the fields of the element', async () => {
  const page = await openPage()

  await page.getByRole('button', { name: 'Connect Files' }).press('Enter')
  await page.waitForURL(`${world.url}/connect/**`)
  await page
    .getByRole('button', { name: /continue|connect/i })
    .first()
    .click()
  await page.waitForURL(`${at}/connected**`)

  const [connection] = await causeway.connections.list({ endUserId: 'user of csrf=token-1' }).toArray()
  expect(connection?.status).toBe('active')
  expect(page.complaints).toEqual([])
})

test('a popup tells the page that the account was linked', async () => {
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'linked', status: 'linked' })
  expect(page.url()).toBe(`${at}/?mode=popup`)
  expect(page.complaints).toEqual([])
})

test('a popup tells the page why it was not', async () => {
  world.provider.behaviour.callback = { code: undefined, error: 'access_denied' }
  const page = await openPage('mode=popup')

  await connectIn(page)

  await expect.poll(() => told(page)).toContainEqual({ name: 'failed', status: 'denied', causeCode: 'consent_denied' })
})

test('a secret that is handed to it is refused aloud', async () => {
  const page = await openPage('key=cwk_123')

  expect(page.complaints.join()).toContain('a secret in a page is public')
})

test('a disabled button goes nowhere', async () => {
  const page = await openPage('disabled')

  expect(await page.getByRole('button', { name: 'Connect Files' }).isDisabled()).toBe(true)
})

test('all of it is small', () => {
  const scripts = readdirSync(built).filter((name) => name.endsWith('.js'))

  expect(scripts.reduce((sum, name) => sum + statSync(join(built, name)).size, 0)).toBeLessThan(8_192)
})
