// Installs, builds and starts the Next.js example as its README says.
import { execFileSync } from 'node:child_process'
import { cpSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { launchBrowser, newVisitor } from '../journeys/watched-browser.ts'
import { packPackages, root } from '../packages/packed-packages.ts'
import { temporaryFolder } from '../support/processes/stores.ts'
import {
  connectAccount,
  decline,
  type Example,
  type ExampleWorld,
  linkNothingForStrangers,
  rejectForgeries,
  startExample,
  startExampleWorld,
} from './example-journey.ts'
import { npmInstall, useTarballs } from './npm-install.ts'

let world: ExampleWorld
let example: Example
let browser: Browser

beforeAll(async () => {
  const folder = join(temporaryFolder(), 'nextjs')
  cpSync(join(root, 'examples/nextjs'), folder, { recursive: true })
  const { client, connect } = await packPackages()
  useTarballs(folder, { '@causeway/client': client.tarball, '@causeway/connect': connect.tarball })
  await npmInstall(folder)
  const env = { ...process.env, NODE_ENV: 'production', NEXT_TELEMETRY_DISABLED: '1' } as const
  execFileSync('npm', ['run', 'build'], { cwd: folder, env, stdio: ['ignore', 'ignore', 'inherit'] })
  world = await startExampleWorld()
  const next = join(folder, 'node_modules/next/dist/bin/next')
  example = await startExample(world, {
    command: [process.execPath, next, 'start', '--port', String(world.port)],
    folder,
  })
  browser = await launchBrowser()
})
afterAll(async () => {
  await browser?.close()
  await example?.stop()
  await world?.close()
})

test('links an account, lists it, and verifies its webhook', () => connectAccount(world, example))
test('shows the cause after the user declines', () => decline(world, example))
test('links nothing in a browser that did not start the link', () => linkNothingForStrangers(world, example))
test('rejects unsigned webhooks', () => rejectForgeries(example))

test('in a browser, the popup closes and the page refreshes', async () => {
  const page = await newVisitor(browser)
  await page.goto(example.url)
  const opening = page.waitForEvent('popup')
  await page.getByRole('button', { name: 'Connect provider' }).click()
  const popup = await opening
  const closed = popup.waitForEvent('close')
  await popup
    .getByRole('button', { name: /continue|connect/i })
    .first()
    .click()
  await closed

  await expect.poll(() => page.locator('main').innerText()).toContain('/mcp')
  expect(page.complaints).toEqual([])
})
