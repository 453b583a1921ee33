// A connection breaks, and support mends it: the whole story in a browser.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { createTestDatabase } from '../support/stores.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 })

let database: string
let demo: RunningDemo
let browser: Browser
let user: WatchedPage
let agent: WatchedPage
let connection: string

beforeAll(async () => {
  database = await createTestDatabase()
  ;[demo, browser] = await Promise.all([runDemo({ DATABASE_URL: database }), launchBrowser()])
  user = await newVisitor(browser)
  agent = await newVisitor(browser)
})

afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

test('a user takes access back, the check notices, support finds it and mends it with an address, and it works again', async () => {
  await linkFilebox(user)
  const portalPage = user.url()
  await user.goto(`${demo.places.filebox}/account`)
  await button(user, 'Remove access of Acme').click()
  await user.getByText('No app has access').waitFor()

  await signIn(agent, 'agent')
  await takePictures(agent, 'support-02-overview')
  await agent.getByLabel('Search').pressSequentially('first@file')
  await agent.getByRole('link', { name: /^filebox-/ }).click()
  await heading(agent, 'first@filebox.example').waitFor()
  connection = agent.url()
  await agent.locator('#function code').first().waitFor()
  await act(agent, 'Check health now', 'Check')
  await agent.getByText('Access was withdrawn').first().waitFor()
  await takePictures(agent, 'support-04-connection-broken')
  expect(await agent.getByText('The user’s move').first().isVisible()).toBe(true)

  const address = await mintAddress(agent)
  await takePictures(agent, 'support-05-address')
  await relink(user, address, 'first')
  await heading(user, 'Filebox is linked again').waitFor()

  await agent.goto(connection)
  await agent.getByText('It works as far as we know').waitFor()
  await takePictures(agent, 'support-06-connection-mended')
  await act(agent, 'Verify over MCP', 'Verify')
  await heading(agent, 'It answers over MCP').waitFor()
  expect(await agent.locator('main code').allInnerTexts()).toEqual(expect.arrayContaining(['list_files', 'read_file']))
  await user.goto(portalPage)
  await button(user, 'List files').click()
  await user.getByRole('cell', { name: 'Launch checklist.md' }).waitFor()

  await agent.goto(`${demo.places.causeway}/support/audit?connection=${connection.split('/').at(-1)}`)
  await takePictures(agent, 'support-07-audit')
  const record = await agent.locator('tbody').innerText()
  for (const line of [
    'connection.checked',
    'connection.needs_relink',
    'relink.minted',
    'link.linked',
    'connection.verified',
  ]) {
    expect(record).toContain(line)
  }
  expect(record).toContain('agent@causeway.example')
  expect([agent.complaints, user.complaints]).toEqual([[], []])
})

test('with another account nothing is changed, and the page says which one is wanted', async () => {
  await openConnection(agent)
  const address = await mintAddress(agent)
  const stranger = await newVisitor(browser)

  await relink(stranger, address, 'second')
  await heading(stranger, 'That was another account').waitFor()
  await takePictures(stranger, 'support-08-other-account')

  expect(await stranger.locator('main').innerText()).toContain('this connection belongs to first@filebox.example')
  await openConnection(agent)
  expect(await agent.getByText('It works as far as we know').isVisible()).toBe(true)
})

test('a user who denies leaves the connection as it was, and the timeline says so', async () => {
  await openConnection(agent)
  const address = await mintAddress(agent)
  const visitor = await newVisitor(browser)

  await visitor.goto(address)
  await button(visitor, 'Continue to Filebox').click()
  await signInToFilebox(visitor, 'first')
  await button(visitor, 'Deny').click()
  await visitor.getByText('Access was not allowed').waitFor()

  await openConnection(agent)
  await agent.getByText('Denied by the user').first().waitFor()
  expect(await agent.getByText('It works as far as we know').isVisible()).toBe(true)
})

test('an address that was cancelled no longer works', async () => {
  await openConnection(agent)
  const address = await mintAddress(agent)
  await openConnection(agent)
  await agent.getByLabel('Reason to cancel').first().fill('sent to the wrong person')
  await button(agent, /^Cancel ses_/)
    .first()
    .click()
  await agent.getByText('The address no longer works').waitFor()

  await user.goto(address)

  expect(await user.getByRole('heading', { level: 1 }).innerText()).toBe('This link has ended')
})

test('an address that has expired says so kindly, and changes nothing', async () => {
  await openConnection(agent)
  const address = await mintAddress(agent)
  const ledger = openPool(`${database}_onboarding`, { connections: 1 })
  await ledger.query(`update connect_sessions set expires_at = now() - interval '1 second' where cancelled_at is null`)
  await ledger.end()

  await user.goto(address)

  await heading(user, 'This link has ended').waitFor()
  expect(await user.getByRole('main').innerText()).toMatch(/expired.*ask whoever sent you/s)
  await takePictures(user, 'support-13-address-expired')
  await openConnection(agent)
  expect(await agent.getByText('It works as far as we know').isVisible()).toBe(true)
})

test('support goes back to the grant before a re-link, and the tools go on working', async () => {
  await openConnection(agent)
  await relink(user, await mintAddress(agent), 'first')
  await heading(user, 'Filebox is linked again').waitFor()

  await openConnection(agent)
  await act(agent, 'Roll back', 'Roll back')
  await agent.getByText('Going back to the grant before').first().waitFor()
  await agent.goto(`${demo.places.causeway}/support/audit?connection=${connection.split('/').at(-1)}`)
  await expect
    .poll(async () => (await agent.reload()) && agent.locator('tbody').innerText())
    .toContain('connection.rolled_back')
  await openConnection(agent)
  await act(agent, 'Verify over MCP', 'Verify')

  await heading(agent, 'It answers over MCP').waitFor()
})

test('a viewer sees everything and finds nothing to press', async () => {
  const viewer = await newVisitor(browser)
  await signIn(viewer, 'viewer')
  await viewer.goto(connection)
  await takePictures(viewer, 'support-09-connection-viewer')

  expect(await viewer.getByText('you can look, and not change anything').isVisible()).toBe(true)
  expect(await viewer.locator('main form').count()).toBe(0)
})

test('every other page of the console can be shown to anybody', async () => {
  const admin = await newVisitor(browser)
  await signIn(admin, 'admin')
  for (const page of [
    'connections',
    'links',
    'webhooks',
    'campaigns',
    'account',
    'search?q=fileb',
    'links?state=denied',
  ]) {
    await admin.goto(`${demo.places.causeway}/support/${page}`)
    await takePictures(admin, `support-10-${page.replace(/\W+/g, '-')}`)
  }
  await admin.goto(`${demo.places.causeway}/support/links?state=denied`)
  await admin.getByRole('link', { name: /^lnk_/ }).first().click()
  await heading(admin, 'Re-link of Filebox').waitFor()
  await takePictures(admin, 'support-11-link')

  expect(admin.complaints).toEqual([])
})

test('the console works without JavaScript', async () => {
  const visitor = await newVisitor(browser, { javaScriptEnabled: false })
  await signIn(visitor, 'agent')
  await visitor.getByLabel('Search').fill('first@filebox')
  await button(visitor, 'Search').click()
  await visitor.getByRole('link', { name: /^filebox-/ }).click()
  await visitor.getByRole('link', { name: 'Ask the platform how the function is' }).click()
  await visitor.getByText('list_files').waitFor()

  expect(visitor.complaints).toEqual([])
})

test('support disconnects it by typing its name, and the function is gone', async () => {
  await openConnection(agent)
  const name = (await agent.locator('.crumbs').innerText()).split('/').at(-1)?.trim() ?? ''
  await agent.getByText('Disconnect', { exact: true }).first().click()
  const form = agent.locator('form[action$="/disconnect"]')
  await form.getByLabel('Reason').fill('ticket 21')
  await form.getByLabel('Type ').fill('something else')
  await form.getByRole('button').click()
  await agent.getByText('not the name of this connection').waitFor()
  await openConnection(agent)
  await agent.getByText('Disconnect', { exact: true }).first().click()
  await form.getByLabel('Reason').fill('ticket 21')
  await form.getByLabel('Type ').fill(name)
  await form.getByRole('button').click()
  // The page goes on by itself until that is done.
  await agent.getByText('It was removed').waitFor()
  await takePictures(agent, 'support-12-disconnected')

  await user.goto(`${demo.places.filebox}/account`)
  await user.getByText('No app has access').waitFor()
})

test('signing out everywhere ends the session in the other browser too', async () => {
  const other = await newVisitor(browser)
  await signIn(other, 'agent')
  await agent.goto(`${demo.places.causeway}/support/account`)
  await button(agent, 'Sign out everywhere').click()
  await heading(agent, 'You are signed out').waitFor()

  await other.goto(`${demo.places.causeway}/support`)

  await heading(other, 'Support console').waitFor()
})

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true })

const heading = (page: Page, name: string) => page.getByRole('heading', { level: 1, name, exact: true })

async function signIn(page: WatchedPage, who: 'agent' | 'viewer' | 'admin'): Promise<void> {
  await page.goto(`${demo.places.causeway}/support`)
  await heading(page, 'Support console').waitFor()
  if (who === 'agent' && page === agent) await takePictures(page, 'support-01-sign-in')
  await button(page, 'Sign in').click()
  await page.getByLabel('Email').fill(`${who}@causeway.example`)
  await page.getByLabel('Password').fill(`causeway-${who}`)
  await button(page, 'Sign in').click()
  const inside = heading(page, 'What needs somebody now')
  // Asked once for each person: may the console know who they are?
  await inside.or(button(page, 'Allow')).first().waitFor()
  if (await button(page, 'Allow').isVisible()) await button(page, 'Allow').click()
  await inside.waitFor()
}

/** Opens one of the things that can be done, gives a reason and does it. */
async function act(page: Page, title: string, press: string): Promise<void> {
  const box = page.locator('details', { has: page.getByText(title, { exact: true }) }).last()
  if (!(await box.getByLabel('Reason').isVisible())) await box.locator('summary').click()
  await box.getByLabel('Reason').fill('ticket 17: our files stopped working')
  await box.getByRole('button', { name: press }).click()
}

async function mintAddress(page: Page): Promise<string> {
  await act(page, 'Mint a re-link address', 'Mint address')
  await heading(page, 'Re-link address').waitFor()
  return page.locator('#address').innerText()
}

async function openConnection(page: Page): Promise<void> {
  await page.goto(connection)
  await heading(page, 'first@filebox.example').waitFor()
}

async function linkFilebox(page: Page): Promise<void> {
  await page.goto(`${demo.places.portal}/sign-in`)
  await button(page, 'Sign in as user@acme.example').click()
  await button(page, /^Connect Filebox/).click()
  await button(page, 'Continue to Filebox').click()
  await signInToFilebox(page, 'first')
  await button(page, 'Allow').click()
  await page.getByText('Your account is linked').waitFor()
}

async function relink(page: Page, address: string, who: 'first' | 'second'): Promise<void> {
  await page.goto(address)
  await button(page, 'Continue to Filebox').click()
  // Whoever is signed in there already is not asked for the password again.
  const allow = button(page, 'Allow')
  await allow.or(page.getByLabel('Password')).first().waitFor()
  if (await page.getByLabel('Password').isVisible()) await signInToFilebox(page, who)
  await allow.click()
}

async function signInToFilebox(page: Page, who: 'first' | 'second'): Promise<void> {
  await page.getByLabel('Email address').fill(`${who}@filebox.example`)
  await page.getByLabel('Password').fill(`filebox-${who}`)
  await button(page, 'Sign in').click()
}
