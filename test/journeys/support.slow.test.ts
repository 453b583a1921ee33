// A connection breaks, and support fixes it, in a browser. console-layout.slow.test.ts has all pages of the console.
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openPool } from '../../src/kit/database/pool.ts'
import { auditActions } from '../../src/onboarding/domain/audit/audit-actions.ts'
import { createRedisDatabase, createTestDatabase } from '../support/processes/stores.ts'
import { act, mintAddress, mintByKeyboard, relink, searchAsTyped, signIn } from './console-visit.ts'
import { button, heading, linkFilebox } from './filebox-visit.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor, takePictures, type WatchedPage } from './watched-browser.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 180_000 })

let ledger: ReturnType<typeof openPool>
let demo: RunningDemo
let browser: Browser
let user: WatchedPage
let agent: WatchedPage
let connection: string

beforeAll(async () => {
  const database = await createTestDatabase()
  ;[demo, browser] = await Promise.all([
    runDemo({ DATABASE_URL: database, REDIS_URL: await createRedisDatabase() }),
    launchBrowser(),
  ])
  ledger = openPool(`${database}_onboarding`, { connections: 1 })
  user = await newVisitor(browser)
  agent = await newVisitor(browser)
})

afterAll(async () => {
  await browser?.close()
  await ledger?.end()
  await demo?.stop()
})

test('a user revokes access, the check reports it, support sends a reconnect link, and the tools work again', async () => {
  await linkFilebox(user, demo.places, 'first')
  const portalPage = user.url()
  await user.goto(`${demo.places.filebox}/account`)
  await button(user, 'Remove access for Acme').click()
  await user.getByText('No app has access').waitFor()
  await letBackgroundCheckNotice()

  await signIn(agent, demo.places, 'agent')
  await agent.getByRole('row', { name: /1 connection.*Access was revoked.*User/s }).waitFor()
  await takePictures(agent, 'support-02-overview')
  await searchAsTyped(agent, 'first@file')
  await agent.getByRole('link', { name: 'Filebox', exact: true }).first().click()
  await heading(agent, 'first@filebox.example').waitFor()
  connection = agent.url()
  await agent.locator('#function code').first().waitFor()
  await agent.getByText('Access was revoked').first().waitFor()
  expect(await agent.locator('.history').innerText()).toMatch(/Broken: Access was revoked.*automatically/s)
  await takePictures(agent, 'support-04-connection-broken')
  expect(await agent.getByText('Fixed by: User').first().isVisible()).toBe(true)

  const address = await mintAddress(agent)
  await takePictures(agent, 'support-05-address')
  await relink(user, address, 'first')
  await heading(user, 'Filebox is reconnected').waitFor()

  await agent.goto(connection)
  await agent.getByText('No action needed').waitFor()
  await act(agent, 'Check health now', 'Check')
  await agent.getByText('Checked: works').waitFor()
  expect(await agent.locator('.history > li').first().innerText()).toMatch(/Healthy.*agent@causeway\.example/s)
  await takePictures(agent, 'support-06-connection-mended')
  await act(agent, 'Verify over MCP', 'Verify')
  await heading(agent, 'Verified over MCP').waitFor()
  expect(await agent.locator('main code').allInnerTexts()).toEqual(expect.arrayContaining(['list_files', 'read_file']))
  await user.goto(portalPage)
  await button(user, 'List files').click()
  await user.getByRole('cell', { name: 'Launch checklist.md' }).waitFor()

  await agent.goto(`${demo.places.causeway}/support/audit?connection=${connection.split('/').at(-1)}`)
  await takePictures(agent, 'support-07-audit')
  const record = await agent.locator('tbody').innerText()
  for (const line of [
    'connection.needs_relink',
    'relink.minted',
    'link.linked',
    'connection.checked',
    'connection.verified',
  ] as const) {
    expect(record).toContain(auditActions[line].words)
  }
  expect(record).toContain('agent@causeway.example')
  expect([agent.complaints, user.complaints]).toEqual([[], []])
})

test('support rolls back a re-link, and the tools keep working', async () => {
  await openConnection(agent)
  await relink(user, await mintAddress(agent), 'first')
  await heading(user, 'Filebox is reconnected').waitFor()

  await openConnection(agent)
  await act(agent, 'Roll back', 'Roll back')
  await agent.getByText('Rolled back').first().waitFor()
  await agent.goto(`${demo.places.causeway}/support/audit?connection=${connection.split('/').at(-1)}`)
  await expect
    .poll(async () => (await agent.reload()) && agent.locator('tbody').innerText(), { timeout: 60_000 })
    .toContain(auditActions['connection.rolled_back'].words)
  await openConnection(agent)
  await act(agent, 'Verify over MCP', 'Verify')

  await heading(agent, 'Verified over MCP').waitFor()
})

test('an admin starts a campaign for all users of one cause, and watches them come back', async () => {
  const admin = await newVisitor(browser)
  await signIn(admin, demo.places, 'admin')
  // The connection works, and no check may report that before the campaign starts.
  await ledger.query(
    `update connections set status = 'needs_relink', cause = 'client_rejected', grant_version = grant_version + 1,
       health_due_at = now() + interval '1 day' where status = 'active'`,
  )
  await admin.goto(`${demo.places.causeway}/support/campaigns`)
  await button(admin, 'Count connections').click()
  await heading(admin, 'Choose the cause').waitFor()
  await takePictures(admin, 'support-14a-campaign-causes')
  await admin.getByRole('link', { name: 'The app rejected our OAuth client' }).click()
  await admin.getByText('One connection (all tenants) would get a reconnect link').waitFor()
  await takePictures(admin, 'support-14b-campaign-new')
  await admin.getByLabel('Reason').fill('the client secret was rotated')
  await button(admin, 'Create links').click()
  const [file] = await Promise.all([admin.waitForEvent('download'), button(admin, 'Download CSV').click()])
  await admin.goto(`${demo.places.causeway}/support/campaigns`)
  await takePictures(admin, 'support-15-campaigns')
  await admin.locator('tbody').getByRole('link').first().click()
  await admin.getByText('0 of 1 reconnected').waitFor()
  await takePictures(admin, 'support-16-campaign')
  await admin.goto(connection)
  await act(admin, 'Check health now', 'Check')
  await admin.getByText('No action needed').waitFor()

  expect(file.suggestedFilename()).toMatch(/^cmp_\w+\.csv$/)
  expect(admin.complaints).toEqual([])
})

test('an agent gets from the search to a reconnect link with the keyboard only', async () => {
  const typist = await newVisitor(browser)
  await signIn(typist, demo.places, 'agent')

  const address = await mintByKeyboard(typist, 'first@file')

  expect(address).toContain('/connect/')
  expect(typist.complaints).toEqual([])
})

test('the console works without JavaScript', async () => {
  const visitor = await newVisitor(browser, { javaScriptEnabled: false })
  await signIn(visitor, demo.places, 'agent')
  await visitor.getByLabel('Search').fill('first@filebox')
  await visitor.keyboard.press('Enter')
  await visitor.getByRole('link', { name: 'Filebox', exact: true }).first().click()
  await visitor.getByRole('link', { name: 'Load function status' }).click()
  await visitor.getByText('list_files').waitFor()

  expect(visitor.complaints).toEqual([])
})

test('support disconnects a connection by typing its name, and its function is deleted', async () => {
  await openConnection(agent)
  const name = (await agent.locator('.crumbs').innerText()).split('/').at(-1)?.trim() ?? ''
  await agent.getByText('Disconnect', { exact: true }).first().click()
  const form = agent.locator('form[action$="/disconnect"]')
  await form.getByLabel('Reason').fill('ticket 21')
  await form.getByLabel('Type ').fill('something else')
  await form.getByRole('button').click()
  await agent.getByRole('alert').getByText('match this connection').waitFor()
  expect(await form.getByLabel('Reason').inputValue()).toBe('ticket 21')
  await takePictures(agent, 'support-13-form-returned')
  await form.getByLabel('Type ').fill(name)
  await form.getByRole('button').click()
  // The page refreshes until the task is done.
  await agent.getByText('Disconnected. To use the app again').waitFor()
  await takePictures(agent, 'support-12-disconnected')

  await user.goto(`${demo.places.filebox}/account`)
  await user.getByText('No app has access').waitFor()
})

/** Makes all connections due for a check. */
async function letBackgroundCheckNotice(): Promise<void> {
  await ledger.query('update connections set health_due_at = now()')
  const statuses = async () => (await ledger.query('select status from connections')).rows.map(({ status }) => status)
  await expect.poll(statuses, { timeout: 60_000 }).toEqual(['needs_relink'])
}

async function openConnection(page: Page): Promise<void> {
  await page.goto(connection)
  await heading(page, 'first@filebox.example').waitFor()
}
