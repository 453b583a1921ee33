// An agent whose session ends while they fill in a form: they sign in in another tab, and nothing they typed is lost.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { people } from '../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../support/worlds/console-world.ts'
import { barriersOn } from './page-checks.ts'
import { launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

// A browser on what may be a small and busy machine.
vi.setConfig({ testTimeout: 180_000, hookTimeout: 180_000 })

let world: ConsoleWorld
let browser: Browser
let connection: string

beforeAll(async () => {
  ;[world, browser] = await Promise.all([startConsoleWorld(), launchBrowser()])
  const minted = await world.mint()
  connection = (await world.complete(minted, (await world.consent(minted)).query)).body.connection.id
  world.issuer.person = people.agent
})
afterAll(async () => {
  await browser.close()
  await world.close()
})

test('the form is there again after signing in, and is sent once', async () => {
  const agent = await newVisitor(browser)
  await agent.goto(`${world.url}/support/sign-in/start`)
  await agent.goto(`${world.url}/support/connections/${connection}`)
  await agent.getByText('Create a reconnect link').click()
  const form = agent.locator('form', { has: agent.getByRole('button', { name: 'Create link' }) })
  await form.getByLabel('Expires after').selectOption('7')
  await form.getByLabel('Reason').fill('ticket “7”')
  await agent.context().clearCookies()

  await form.getByRole('button', { name: 'Create link' }).click()
  await agent.getByRole('heading', { name: 'Please sign in again' }).waitFor()
  await takePictures(agent, 'support-19-form-kept')
  const barriers = await barriersOn(agent)
  const [tab] = await Promise.all([
    agent.context().waitForEvent('page'),
    agent.getByRole('button', { name: 'Sign in' }).click(),
  ])
  await tab.getByRole('button', { name: 'Sign in' }).click()
  await tab.getByRole('heading', { name: 'You’re signed in' }).waitFor()
  await agent.getByRole('button', { name: 'Continue with the form' }).click()
  await agent.getByText('Your form wasn’t sent').waitFor()
  await takePictures(agent, 'support-20-form-again')
  const typed = [await form.getByLabel('Expires after').inputValue(), await form.getByLabel('Reason').inputValue()]
  await form.getByRole('button', { name: 'Create link' }).click()
  await agent.getByText('It expires after 7 days').waitFor()

  expect(barriers).toEqual([])
  expect(typed).toEqual(['7', 'ticket “7”'])
  const { rows } = await world.sql.query('select 1 from connect_sessions where connection_id = $1', [connection])
  expect(rows).toHaveLength(1)
  expect(agent.complaints.filter((each) => !each.includes('401'))).toEqual([])
})
