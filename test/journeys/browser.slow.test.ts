// What only a browser shows of the demo. Its pages are tested in test/demo, the first journey in first-link.test.ts.
import type { Browser, Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisDatabase, createTestDatabase } from '../support/processes/stores.ts'
import {
  button,
  heading,
  linkFilebox as link,
  signInToFilebox,
  signInToAcme as toAcme,
  connect as toFilebox,
} from './filebox-visit.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

// The machine may be slow.
let demo: RunningDemo
let browser: Browser

beforeAll(async () => {
  const starting = [
    runDemo({ DATABASE_URL: await createTestDatabase(), REDIS_URL: await createRedisDatabase() }),
    launchBrowser(),
  ] as const
  ;[demo, browser] = await Promise.all(starting)
})

afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

test('a second account is approved without a sign-in, asks for offline access once, and is linked', async () => {
  const page = await newVisitor(browser)
  await linkFilebox(page, 'second')

  await page.goto(`${demo.places.portal}/integrations`)
  await takePictures(page, '08-acme-integrations-linked')
  await button(page, 'Connect another Filebox account').click()
  await button(page, 'Continue to Filebox').click()
  // No sign-in page: Filebox knows this browser and this app.
  await heading(page, 'Acme wants to access your Filebox').waitFor()
  await button(page, 'Allow').click()
  await page.getByText('Your account is connected').waitFor()

  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('second@filebox.example')
  expect(page.complaints).toEqual([])
})

test('tool calls appear as costs of the account and of the function', async () => {
  const page = await newVisitor(browser)
  await linkFilebox(page, 'first')
  const [, workspace, name] = /^\/([^/]+)\/functions\/([^/]+)/.exec(await functionPath(page)) ?? []
  await button(page, 'List files').click()
  await page.getByRole('cell', { name: 'Launch checklist.md' }).waitFor()

  await openCosts(page)
  const compute = page.getByRole('rowheader', { name: 'MCP server compute' })
  await expect.poll(async () => (await page.reload()) && compute.count(), { timeout: 30_000 }).toBe(1)
  await takePictures(page, '15-platform-costs')
  await page.goto(`${demo.places.platform}/billing/workspaces/${workspace}/functions/${name}`)
  await heading(page, `MCP server ${name}`).waitFor()
  await expect.poll(async () => (await page.reload()) && compute.count(), { timeout: 30_000 }).toBe(1)
  await page.getByLabel('Group by').selectOption('None')
  await button(page, 'Show').click()
  await page.getByRole('rowheader', { name: 'Everything' }).waitFor()

  expect(new URL(page.url()).searchParams.get('groupBy')).toBe('none')
  expect(page.complaints).toEqual([])
})

async function openCosts(page: Page) {
  await signInToPlatform(page, '/billing')
  await heading(page, 'Account demo').waitFor()
}

async function signInToPlatform(page: Page, path: string) {
  await page.goto(`${demo.places.platform}${path}`)
  await page.getByLabel('Email address').fill('admin@acme.example')
  await page.getByLabel('Password').fill('platform-admin')
  await button(page, 'Sign in').click()
}

test('the page shows the steps while the platform is slow, and continues automatically', async () => {
  const page = await newVisitor(browser)
  await connect(page)
  await signInToFilebox(page, 'first')
  await button(page, 'Allow').waitFor()

  process.kill(demo.pidOf('platform'), 'SIGSTOP')
  try {
    await button(page, 'Allow').click()
    await heading(page, 'Connecting Filebox').waitFor()
    await takePictures(page, '14-acme-pending')
  } finally {
    process.kill(demo.pidOf('platform'), 'SIGCONT')
  }
  await page.getByText('Your account is connected').waitFor({ timeout: 60_000 })

  expect(page.complaints).toEqual([])
})

test('an account can be linked with the keyboard only, with visible focus', async () => {
  const page = await newVisitor(browser)

  await page.goto(demo.places.portal)
  await press(page, button(page, 'Sign in as user@acme.example'))
  await heading(page, 'Integrations').waitFor()
  await press(page, button(page, /^Connect (another )?Filebox/))
  await heading(page, 'Connect Filebox to Acme').waitFor()
  await press(page, button(page, 'Continue to Filebox'))
  await heading(page, 'Sign in to Filebox').waitFor()
  await tabTo(page, page.getByLabel('Email address'))
  await page.keyboard.type('first@filebox.example')
  await tabTo(page, page.getByLabel('Password'))
  await page.keyboard.type('filebox-first')
  await press(page, button(page, 'Sign in'))
  await heading(page, 'Acme wants to access your Filebox').waitFor()
  await press(page, button(page, 'Allow'))
  await page.getByText('Your account is connected').waitFor()
  await press(page, button(page, 'List files'))

  await page.getByRole('cell', { name: 'Launch checklist.md' }).waitFor()
  expect(page.complaints).toEqual([])
})

test('an account can be linked without JavaScript', async () => {
  const page = await newVisitor(browser, { javaScriptEnabled: false })

  await linkFilebox(page, 'second')
  await button(page, 'List files').click()

  await page.getByRole('cell', { name: 'Recipes.md' }).waitFor()
  expect(page.complaints).toEqual([])
})

test('a function opens in an MCP client with a login instead of a key', async () => {
  const page = await newVisitor(browser)
  await linkFilebox(page, 'first')
  const address = await page.locator('.address').innerText()
  expect(await page.locator('main').innerText()).not.toMatch(/platform key/i)

  await press(page, button(page, 'Open in an MCP client'))
  await page.getByText('You’re signing in as').waitFor()
  await press(page, button(page, 'Continue'))
  await heading(page, 'You’re signed in').waitFor()

  expect(new URL(page.url()).origin).toBe(demo.places.platform)
  expect(await page.locator('.address').innerText()).toBe(address)
  expect(page.complaints).toEqual([])
})

test('Back after a success leads to a page that says so, and links back to Acme', async () => {
  const page = await newVisitor(browser)
  await signInToAcme(page)
  await button(page, /^Connect (another )?Filebox/).click()
  await button(page, 'Continue to Filebox').waitFor()
  const used = page.url()
  await button(page, 'Continue to Filebox').click()
  await signInToFilebox(page, 'second')
  await button(page, 'Allow').click()
  await page.getByText('Your account is connected').waitFor()

  for (let back = 0; page.url() !== used && back < maxBack; back++) await page.goBack()
  await heading(page, 'Filebox is already connected').waitFor()
  await takePictures(page, '23-causeway-used')
  await press(page, page.getByRole('link', { name: 'Back to Acme' }))

  await heading(page, 'second@filebox.example').waitFor()
  expect(new URL(page.url()).origin).toBe(demo.places.portal)
  expect(page.complaints.filter((text) => !/status of 410/.test(text))).toEqual([])
})

/** Filebox has three pages of its own. */
const maxBack = 6

test('platform keys are created and revoked with the keyboard only, and shown once', async () => {
  const page = await newVisitor(browser)
  await signInToPlatform(page, '/keys')
  await heading(page, 'API keys').waitFor()

  await tabTo(page, page.getByLabel('Name'))
  await page.keyboard.type('laptop')
  await press(page, button(page, 'Create key'))
  const key = await page.locator('#new-key').innerText()
  await tabTo(page, page.locator('#new-key'))
  await takePictures(page, '20-platform-key-created')
  await page.goto(`${demo.places.platform}/keys`)
  const again = await page.locator('main').innerText()
  await press(page, page.locator('summary', { hasText: 'Revoke laptop' }))
  await takePictures(page, '21-platform-keys')
  await press(page, button(page, 'Revoke “laptop”'))
  await page.getByText('The key was revoked').waitFor()

  expect(key).toMatch(/^cwp_/)
  expect(again).toContain('laptop')
  expect(again).not.toContain(key)
  expect(await page.locator('main').innerText()).not.toContain('laptop')
  await page.goto(`${demo.places.platform}/keys/workspaces/acme`)
  await heading(page, 'Workspace acme: API keys').waitFor()
  await takePictures(page, '22-platform-workspace-keys')
  expect(page.complaints).toEqual([])
})

const signInToAcme = (page: Page) => toAcme(page, demo.places)
const connect = (page: Page) => toFilebox(page, demo.places)
const linkFilebox = (page: WatchedPage, who: 'first' | 'second') => link(page, demo.places, who)

const functionPath = async (page: Page) => new URL(await page.locator('.address').innerText()).pathname

async function press(page: Page, target: Locator): Promise<void> {
  await tabTo(page, target)
  await page.keyboard.press('Enter')
}

/** Presses Tab until the target has a visible focus. */
async function tabTo(page: Page, target: Locator): Promise<void> {
  const isFocused = () => target.evaluate((element) => element.ownerDocument.activeElement === element)
  for (let presses = 0; !(await isFocused()); presses++) {
    if (presses > 40) throw new Error('the keyboard does not get there')
    await page.keyboard.press('Tab')
  }
  const outline = await target.evaluate(
    (element) => element.ownerDocument.defaultView?.getComputedStyle(element).outlineStyle,
  )
  expect(outline).toBe('solid')
}
