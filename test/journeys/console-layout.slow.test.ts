// The layout of the console on a phone and on a desktop.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../support/doubles/console-issuer.ts'
import { consolePages } from '../support/worlds/console-pages.ts'
import { type ConsoleWorld, startConsoleWorld } from '../support/worlds/console-world.ts'
import { addStoppedLink } from './console-rows.ts'
import { expectOneRendering } from './halved-page.ts'
import { barriersInBothSchemes, lookFaultsOn } from './page-checks.ts'
import { launchBrowser, newVisitor } from './watched-browser.ts'

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

test('a stopped link shows what happened, whose move it is, and then the actions', async () => {
  const page = await visit(`links/${stopped}`, phone)

  expect((await page.evaluate<string[]>(cardsDrawn)).slice(0, 3)).toEqual(['Status', 'Actions', 'Timeline'])
  expect((await page.evaluate<string[]>(cardsRead)).slice(0, 2)).toEqual(['Status', 'Actions'])
  const status = await page.locator('[aria-labelledby="state"]').innerText()
  expect(status).toContain('Fixed by:')
})

test('a linked link shows that no action is needed', async () => {
  const { rows } = await world.sql.query(`select id from links where state = 'linked'`)

  const page = await visit(`links/${rows[0].id}`, phone)

  expect(await page.locator('[aria-labelledby="state"]').innerText()).toContain('Linked. No action needed.')
})

test('on a phone a long state of a link does not squeeze its app and its person', async () => {
  const page = await visit('links', { width: 375, height: 667 })
  const widths = await page.evaluate<number[]>(
    `[...document.querySelectorAll('.led :is(.app, .person)')].map((each) => each.getBoundingClientRect().width)`,
  )

  expect(await page.locator('.led .state small').count()).toBeGreaterThan(0)
  expect(Math.min(...widths)).toBeGreaterThan(120)
})

test('columns of a chart use its whole width', async () => {
  const page = await visit('', desk)
  const widthOf = async (selector: string) => (await page.locator(selector).first().boundingBox())?.width

  expect(await widthOf('.plot .columns')).toBe(await widthOf('.plot'))
})

const pageNames = ['Overview', 'Connections', 'Links', 'Campaigns', 'Tenants', 'Webhooks', 'Integrations', 'API keys']

test('on a desktop the header shows all pages, and the search in two lines', async () => {
  const page = await visit('audit', desk)
  const nav = page.getByRole('navigation', { name: 'Main' })

  for (const name of pageNames) expect(await nav.getByRole('link', { name }).isVisible()).toBe(true)
  const current = nav.getByRole('link', { name: 'Audit log' })
  expect(await current.getAttribute('aria-current')).toBe('page')
  const [box, header] = [await current.boundingBox(), await page.locator('.topbar').boundingBox()]
  expect((box?.x ?? 0) + (box?.width ?? 0)).toBeLessThan(desk.width)
  expect(header?.height).toBeLessThan(100)
})

test.each(['/', 'Control+k'])('%s moves the focus to the search, and arrow keys to its results', async (key) => {
  const page = await visit('links', desk)
  const field = page.getByRole('searchbox', { name: 'Search' })

  await page.keyboard.press(key)
  await page.keyboard.type('acme')
  await page.getByRole('region', { name: 'Results' }).getByRole('link').first().waitFor()
  expect(await field.inputValue()).toBe('acme')
  await page.keyboard.press('ArrowDown')

  expect(await page.evaluate('document.activeElement.closest(".search-panel") !== null')).toBe(true)
  await page.keyboard.press('Escape')
  expect(await page.getByRole('region', { name: 'Results' }).isVisible()).toBe(false)
})

test('a filter applies when it changes, and the URL omits empty ones', async () => {
  const page = await visit('connections', desk)

  await Promise.all([page.waitForURL(/status=/), page.locator('select[name=status]').selectOption('Active')])

  expect(page.url().split('?')[1]).toBe('status=active')
})

test('times are local, with UTC in their titles', async () => {
  const page = await visit(`links/${stopped}`, desk)

  const time = page.locator('main time[title]').first()
  // Both times, local and UTC.
  expect(await time.getAttribute('title')).toMatch(/^\d{4}-.+, \d{4}-.+ UTC$/)
})

const lists = ['connections', 'links', 'webhooks', 'audit', 'tenants', 'tenants/acme/users?id=user-1', 'search?q=acme']

test('on a small phone lists and the page of a person fit, and are accessible', async () => {
  const page = await visit('connections', { width: 360, height: 640 })
  for (const path of lists) {
    await page.goto(`${world.url}/support/${path}`)

    expect(await page.evaluate('document.documentElement.scrollWidth - innerWidth')).toBeLessThanOrEqual(0)
    if (path.includes('?')) expect(await barriersInBothSchemes(page)).toEqual([])
  }
})

test.each([
  { device: 'a phone', viewport: { width: 375, height: 667 } },
  { device: 'a desk', viewport: { width: 1280, height: 720 } },
])('on $device every page fits, is accessible, and stays where it is', async ({ device, viewport }) => {
  const admin = await world.signIn(people.admin)
  const extraHTTPHeaders = { Cookie: admin.cookiesFor(`${world.url}/support`) }
  const page = await newVisitor(browser, { viewport, extraHTTPHeaders })
  const paths = [...(await consolePages(world, admin)).keys()].filter((path) => !path.includes('?'))
  const faults: string[] = []

  for (const path of paths) {
    await page.goto(`${world.url}/support${path}`)
    // Sizes differ only in layout, schemes only in colors.
    const barriers = device === 'a desk' ? await barriersInBothSchemes(page) : []
    faults.push(...[...(await lookFaultsOn(page)), ...barriers].map((fault) => `${path}: ${fault}`))
  }

  expect(faults).toEqual([])
  expect(paths.length).toBeGreaterThan(20)
})

test('a form is not sent twice by a second click', async () => {
  const page = await visit('account', desk)

  const isSent = await page.evaluate<boolean[]>(`
    [1, 2].map(() => document.querySelector('form[method=post]')
      .dispatchEvent(new SubmitEvent('submit', { bubbles: true, cancelable: true })))`)

  expect(isSent).toEqual([true, false])
})

test('a page whose rows arrive in two parts renders once, when it is complete', async () => {
  const agent = await world.signIn(people.agent)

  await expectOneRendering(browser, `${world.url}/support/audit`, agent.cookiesFor(`${world.url}/support`))
})
