// The layout of the console on a phone and on a desktop.
import { EventEmitter, once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { people } from '../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../support/worlds/console-world.ts'
import { addStoppedLink } from './console-rows.ts'
import { barriersInBothSchemes } from './page-checks.ts'
import { expectNothingMoved, launchBrowser, newVisitor } from './watched-browser.ts'

// The machine may be slow.
const phone = { width: 390, height: 844 }
const desk = { width: 1280, height: 800 }

let world: ConsoleWorld
let browser: Browser
let stopped: string

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startConsoleWorld(), launchBrowser()])
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  await world.complete(minted, query)
  stopped = await addStoppedLink(world.sql)
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

async function visit(path: string, viewport: typeof phone) {
  const agent = await world.signIn(people.agent)
  const extraHTTPHeaders = { Cookie: agent.cookiesFor(`${world.url}/support`) }
  const page = await newVisitor(browser, { viewport, extraHTTPHeaders })
  await page.goto(`${world.url}/support/${path}`)
  return page
}

/** Headings of the cards: in the order they are drawn, or in the order of the document. */
const cardsDrawn = `[...document.querySelectorAll('main .card h2')]
  .sort((one, other) => one.getBoundingClientRect().top - other.getBoundingClientRect().top).map((each) => each.innerText)`
const cardsRead = `[...document.querySelectorAll('main .card h2')].map((each) => each.innerText)`

test('a stopped link shows what happened and who has to act, then the actions', async () => {
  const page = await visit(`links/${stopped}`, phone)

  expect((await page.evaluate<string[]>(cardsDrawn)).slice(0, 3)).toEqual(['Status', 'Actions', 'Timeline'])
  expect((await page.evaluate<string[]>(cardsRead)).slice(0, 2)).toEqual(['Status', 'Actions'])
  const status = await page.locator('[aria-labelledby="state"]').innerText()
  expect(status).toContain('Action needed from:')
})

test('a linked link shows that no action is needed', async () => {
  const { rows } = await world.sql.query(`select id from links where state = 'linked'`)

  const page = await visit(`links/${rows[0].id}`, phone)

  expect(await page.locator('[aria-labelledby="state"]').innerText()).toContain('Linked. No action needed.')
})

/** All parts overlap vertically. */
const isOneLine = `(() => {
  const parts = ['.brand', 'nav a[href="/support"]', 'nav summary', '.account button']
  const boxes = parts.map((part) => document.querySelector('.topbar ' + part).getBoundingClientRect())
  return Math.max(...boxes.map(({ top }) => top)) < Math.min(...boxes.map(({ bottom }) => bottom))
})()`

test('the header is one line on a desktop, with all pages in it or in its menu', async () => {
  const page = await visit('audit', desk)
  const menu = page.locator('.topbar .menu')
  const entry = menu.getByRole('link', { name: 'Audit log' })

  expect(await page.evaluate(isOneLine)).toBe(true)
  expect(await entry.isVisible()).toBe(false)
  await menu.locator('summary').click()
  expect(await entry.getAttribute('aria-current')).toBe('page')
  await page.keyboard.press('Escape')
  expect(await entry.isVisible()).toBe(false)
})

test.each([
  { device: 'a phone', viewport: phone },
  { device: 'a small phone', viewport: { width: 360, height: 640 } },
  { device: 'a desk', viewport: desk },
])('on $device the open menu fits and is accessible', async ({ viewport }) => {
  const page = await visit('keys', viewport)

  await page.locator('.topbar .menu summary').press('Enter')

  expect(await page.getByRole('link', { name: 'Integrations' }).isVisible()).toBe(true)
  expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
  expect(await barriersInBothSchemes(page)).toEqual([])
})

test('a form is not sent twice by a second click', async () => {
  const page = await visit('account', desk)

  const isSent = await page.evaluate<boolean[]>(`
    [1, 2].map(() => document.querySelector('form[method=post]')
      .dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true })))`)

  expect(isSent).toEqual([true, false])
})

/** Proxies the world, but holds back the second half of pages. */
async function serveInHalves(cookie: string) {
  const gate = new EventEmitter()
  const server = createServer(async (request, response) => {
    const answer = await fetch(`${world.url}${request.url}`, { headers: { cookie } })
    const type = answer.headers.get('content-type') ?? ''
    const body = Buffer.from(await answer.arrayBuffer())
    response.writeHead(answer.status, { 'content-type': type })
    if (!type.startsWith('text/html')) return response.end(body)
    response.write(body.subarray(0, body.lastIndexOf('<tr')))
    await once(gate, 'open')
    response.end(body.subarray(body.lastIndexOf('<tr')))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    server,
    sendRest: () => gate.emit('open'),
  }
}

test('a page whose rows arrive in two parts is drawn once, when it is complete', async () => {
  const agent = await world.signIn(people.agent)
  const halves = await serveInHalves(agent.cookiesFor(`${world.url}/support`))
  onTestFinished(() => void halves.server.close())
  const page = await newVisitor(browser, { viewport: desk })
  const timesPainted = `performance.getEntriesByType('paint').length`

  await page.goto(`${halves.url}/support/audit`, { waitUntil: 'commit' })
  await page.waitForFunction(`document.querySelector('tbody tr')`, undefined, { polling: 20 })
  await delay(500) // long enough for a page that does not wait to be drawn
  const paintedInHalf = await page.evaluate(timesPainted)
  halves.sendRest()
  await page.waitForFunction(timesPainted, undefined, { polling: 20 })

  expect(paintedInHalf).toBe(0)
  await expectNothingMoved(page, 'the audit log')
})
