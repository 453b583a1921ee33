// `npm start -- --sample`: history made by calling the API, and "our mail stopped working" in it.
import { existsSync, readFileSync } from 'node:fs'
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

const call = (path: string, init: { method: string; body?: string } = { method: 'GET' }): Promise<Response> => {
  const { causewayKey } = JSON.parse(readFileSync(join(folder, 'first-data.json'), 'utf8'))
  const headers = { Authorization: `Bearer ${causewayKey}`, 'Content-Type': 'application/json' }
  return fetch(`${demo.places.causeway}/api/v1${path}`, { ...init, headers })
}

const list = async (path: string): Promise<Array<Record<string, string>>> =>
  ((await (await call(path)).json()) as { data: Array<Record<string, string>> }).data

const post = async (path: string, body: object): Promise<number> =>
  (await call(path, { method: 'POST', body: JSON.stringify(body) })).status

test('the demo runs without Redis, and reports it', async () => {
  const ready = await fetch(`${demo.places.causeway}/readyz`)

  expect(ready.status).toBe(200)
  expect(demo.output()).toContain('without Redis')
  expect(readFileSync(join(folder, 'logs/onboarding.log'), 'utf8')).toContain('redis.absent')
  expect(existsSync(join(folder, 'redis'))).toBe(false)
})

test('links ended in different ways over two weeks', async () => {
  const links = await list('/links?limit=100')
  const statuses = new Set(links.map(({ status }) => status))
  const days = new Set(links.map(({ createdAt }) => createdAt?.slice(0, 10)))

  expect([...statuses]).toEqual(expect.arrayContaining(['linked', 'failed', 'denied', 'needs_attention', 'pending']))
  expect(days.size).toBeGreaterThanOrEqual(14)
})

test('connections work, are broken or are disconnected', async () => {
  const connections = await list('/connections?limit=100')

  expect(new Set(connections.map(({ status }) => status))).toEqual(new Set(['active', 'needs_relink', 'disconnected']))
})

test('a campaign has reconnected some of the broken connections', async () => {
  const [campaign] = await list('/campaigns')

  expect(campaign?.counts).toMatchObject({ linked: 2, open: 1 })
})

test('people have role names and the email address of their tenant', async () => {
  const connections = await list('/connections?limit=100')

  const accounts = connections.map(({ upstreamAccount }) => (upstreamAccount as unknown as { label: string }).label)
  expect(accounts).toContain('dispatch-lead@sample-freight.example')
  expect(accounts.filter((label) => /\d/.test(label))).toEqual([])
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

test('every connection that waits for its user can get a reconnect link', async () => {
  const broken = await list('/connections?status=needs_relink&limit=100')
  const waiting = broken.filter(({ cause }) => (cause as unknown as { whoseMove: string }).whoseMove === 'user')

  const minted = await Promise.all(
    waiting.map(({ id }) => post(`/connections/${id}/relink-sessions`, { reason: 'ticket 17' })),
  )

  expect(minted.length).toBeGreaterThan(3)
  expect(minted.filter((status) => status !== 201)).toEqual([])
})

test('a campaign can be started for the connections outside any campaign', async () => {
  const campaign = { causeCode: 'grant_revoked', integrationId: 'sample-mail', reason: 'Users changed passwords' }

  expect(await post('/campaigns', campaign)).toBe(201)
})

async function emailOfBrokenMail(): Promise<string> {
  const [broken] = await list('/connections?status=needs_relink&integrationId=sample-mail')
  return (broken?.upstreamAccount as unknown as { label: string } | undefined)?.label ?? ''
}
