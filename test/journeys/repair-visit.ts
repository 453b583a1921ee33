// A demo with an end user, and the steps by which calls lead to a repaired account.
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { createRedisDatabase, createTestDatabase, temporaryFolder } from '../support/processes/stores.ts'
import { button, heading, signInToFilebox } from './filebox-visit.ts'
import { accessToken, type Listener, startListener } from './mcp-client.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor, type WatchedPage } from './watched-browser.ts'

export type Called = {
  isError?: boolean
  content: Array<{ text: string }>
  structuredContent?: unknown
  _meta?: { code?: string; repairUrl?: string }
}

type Answered = { id: string; url: string; mcpUrl: string; status: string; data: unknown[] }

export type RepairVisit = Awaited<ReturnType<typeof repairVisit>>

export async function repairVisit() {
  const folder = temporaryFolder()
  const stores = { DATABASE_URL: await createTestDatabase(), REDIS_URL: await createRedisDatabase() }
  const env = { DEMO_DATA_DIR: folder, ...stores }
  const starting = [runDemo(env), launchBrowser(), startListener()] as const
  const [demo, browser, listener]: [RunningDemo, Browser, Listener] = await Promise.all(starting)
  const visit = {
    demo,
    browser,
    listener,
    stores,
    /** Starts the demo again after it ended. It keeps its addresses. */
    async restart() {
      visit.demo = await runDemo(env)
    },
    async api(path: string, body?: object) {
      const { causewayKey } = JSON.parse(readFileSync(join(folder, 'first-data.json'), 'utf8')) as {
        causewayKey: string
      }
      const answer = await fetch(`${visit.demo.places.causeway}/api/v1${path}`, {
        method: body ? 'POST' : 'GET',
        headers: { Authorization: `Bearer ${causewayKey}`, 'Content-Type': 'application/json' },
        ...(body && { body: JSON.stringify(body) }),
      })
      return { status: answer.status, data: (await answer.json()) as Answered }
    },
    /** A function that the tenant creates before its user has linked an account, and the user's client. */
    async unlinkedFunction(endUserId: string) {
      const of = { tenantId: 'acme', integrationId: 'filebox', endUser: { id: endUserId } }
      const { data: connection } = await visit.api('/connections', of)
      const { data: login } = await visit.api(`/connections/${connection.id}/function-logins`, {})
      const person = await newVisitor(browser)
      await person.goto(login.url)
      await button(person, 'Continue').click()
      await person.getByText('You’re signed in').waitFor()
      const token = await accessToken(login.mcpUrl, person, listener)
      return { person, id: connection.id, mcpUrl: login.mcpUrl, token }
    },
    async removeAccess(page: WatchedPage) {
      await page.goto(`${visit.demo.places.filebox}/account`)
      await button(page, 'Remove access for Acme').click()
      await page.getByText('No app has access').waitFor()
    },
    async close() {
      listener.close()
      await browser.close()
      await visit.demo.stop()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  return visit
}

export async function linkFirst(person: WatchedPage, url: string) {
  await person.goto(url)
  await heading(person, 'Connect Filebox to Acme').waitFor()
  await button(person, 'Continue to Filebox').click()
  await signInToFilebox(person, 'second')
  await button(person, 'Allow').click()
}

/** The person's steps: one page, and the consent at the third party. */
export async function reconnect(page: WatchedPage, url: string) {
  await page.goto(url)
  await heading(page, 'Reconnect Filebox to Acme').waitFor()
  await button(page, 'Continue to Filebox').click()
  await heading(page, 'Acme wants to access your Filebox').waitFor()
  await button(page, 'Allow').click()
  await isConnected(page)
}

export const isConnected = (page: WatchedPage) =>
  page
    .getByText(/is connected|reconnected/)
    .first()
    .waitFor()
