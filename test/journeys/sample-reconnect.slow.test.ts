// "Our mail stopped working", in the demo's sample.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Locator } from 'playwright-core'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { waitFor } from '../support/oracles/wait-for.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import { signIn } from './console-visit.ts'
import { button, heading, signInToAcme } from './filebox-visit.ts'
import { barriersInBothSchemes, greyTilesOn } from './page-checks.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

vi.setConfig({ testTimeout: 240_000, hookTimeout: 240_000 })

const folder = temporaryFolder()
let demo: RunningDemo
let browser: Browser

beforeAll(async () => {
  const env = { DEMO_DATA_DIR: folder, CAUSEWAY_STORE: 'in-process' }
  ;[demo, browser] = await Promise.all([runDemo(env, { args: ['--sample'] }), launchBrowser()])
  await waitFor('the sample is complete', () => /Sample history added/.test(demo.output()), { withinMs: 200_000 })
})

afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

test('an agent copies a message in five clicks from the email address, and the user reconnects', async () => {
  const email = await emailOfBrokenMail()
  const agent = await newVisitor(browser, { permissions: ['clipboard-read', 'clipboard-write'] })
  await signIn(agent, demo.places, 'agent')
  let clicks = 0
  const click = async (target: Locator) => {
    clicks += 1
    await target.click()
  }

  await click(agent.getByRole('searchbox').first())
  await agent.keyboard.type(email)
  await agent.keyboard.press('Enter')
  const broken = agent
    .locator('.app-rows li')
    .filter({ hasText: 'Sample Mail' })
    .filter({ hasText: 'Reconnect needed' })
  await click(broken.getByRole('link').first())
  await agent.getByLabel('Reason').first().fill('ticket 17: mail stopped working')
  await click(button(agent, 'Create link'))
  await heading(agent, 'Reconnect link').waitFor()
  await takePictures(agent, 'sample-reconnect-link')
  await click(button(agent, 'Copy message'))
  await button(agent, 'Copied').waitFor()

  const message = await agent.evaluate<string>('navigator.clipboard.readText()')
  expect(clicks).toBeLessThanOrEqual(5)
  expect(message).toContain('Sample Mail')
  const [address = ''] = /http\S+/.exec(message) ?? []
  const user = await newVisitor(browser)
  await user.goto(address)
  await button(user, 'Continue to Sample Mail').click()
  await heading(user, 'Causeway wants access to your Sample Mail account').waitFor()
  await user.getByText('Read your mail').waitFor()
  expect(await barriersInBothSchemes(user)).toEqual([])
  expect(await user.getByLabel('Account').inputValue()).toBe(email)
  await button(user, 'Allow').click()
  await heading(user, 'Sample Mail is reconnected').waitFor()
  expect([agent.complaints, user.complaints]).toEqual([[], []])
})

test('the pages of Acme have its logo and color, and no app is a letter on a grey tile', async () => {
  const user = await newVisitor(browser)
  await signInToAcme(user, demo.places)
  const apps = await user.locator('.app-icon img').count()
  const atAcme = await greyTilesOn(user)
  await button(user, 'Connect Sample Mail').click()
  await heading(user, 'Connect Sample Mail to Acme').waitFor()
  const onConnect = await greyTilesOn(user)
  const fill = await user.evaluate('getComputedStyle(document.querySelector("main button")).backgroundColor')
  await user.emulateMedia({ colorScheme: 'dark' })
  const plates = await user.locator('.logo[data-tile]').count()

  expect(apps).toBe(4)
  expect([atAcme, onConnect]).toEqual([[], []])
  expect(await user.locator('.handshake img').count()).toBe(2)
  expect(await user.locator('.logo img').getAttribute('alt')).toBe('Acme')
  expect(fill).toBe('rgb(163, 61, 21)')
  expect(plates).toBe(0)
  expect(await user.locator('.permissions').innerText()).toBe('Read your mail')
  expect(user.complaints).toEqual([])
})

async function emailOfBrokenMail(): Promise<string> {
  const { causewayKey } = JSON.parse(readFileSync(join(folder, 'first-data.json'), 'utf8'))
  const path = '/api/v1/connections?status=needs_relink&integrationId=sample-mail'
  const answer = await fetch(`${demo.places.causeway}${path}`, { headers: { Authorization: `Bearer ${causewayKey}` } })
  const { data } = (await answer.json()) as { data: Array<{ upstreamAccount: { label: string } }> }
  return data[0]?.upstreamAccount.label ?? ''
}
