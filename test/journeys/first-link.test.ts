// The first journey of a newcomer through the demo. Further ones are in browser.slow.test.ts.
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createRedisDatabase, createTestDatabase } from '../support/processes/stores.ts'
import { button, heading, signInToFilebox } from './filebox-visit.ts'
import { expectReadmePicture, portsOfPictures } from './readme-pictures.ts'
import { type RunningDemo, runDemo } from './running-demo.ts'
import { launchBrowser, newVisitor, takePictures } from './watched-browser.ts'

// The machine may be slow.
let demo: RunningDemo
let browser: Browser

beforeAll(async () => {
  const stores = { DATABASE_URL: await createTestDatabase(), REDIS_URL: await createRedisDatabase() }
  ;[demo, browser] = await Promise.all([runDemo({ ...stores, ...portsOfPictures }), launchBrowser()])
})

afterAll(async () => {
  await browser?.close()
  await demo?.stop()
})

test('a user links Filebox, sees the tools, and reads their own files through them', async () => {
  const page = await newVisitor(browser)

  await page.goto(demo.places.portal)
  await takePictures(page, '01-acme-sign-in')
  await button(page, 'Sign in as user@acme.example').click()
  await heading(page, 'Integrations').waitFor()
  await takePictures(page, '02-acme-integrations')
  await button(page, 'Connect Filebox').click()
  await heading(page, 'Connect Filebox to Acme').waitFor()
  await takePictures(page, '03-causeway-connect')
  await expectReadmePicture(page, 'connect')
  await button(page, 'Continue to Filebox').click()
  await heading(page, 'Sign in to Filebox').waitFor()
  await takePictures(page, '04-filebox-sign-in')
  await signInToFilebox(page, 'first')
  await heading(page, 'Acme wants to access your Filebox').waitFor()
  await takePictures(page, '05-filebox-consent')
  await button(page, 'Allow').click()
  await page.getByText('Your account is connected').waitFor()
  await takePictures(page, '06-acme-linked')
  await button(page, 'List files').click()
  await page.getByRole('cell', { name: 'Launch checklist.md' }).waitFor()
  await takePictures(page, '07-acme-files')
  await expectReadmePicture(page, 'linked')

  expect(new URL(page.url()).origin).toBe(demo.places.portal)
  expect(await page.locator('.address').innerText()).toMatch(
    new RegExp(`^${demo.places.platform}/acme/functions/filebox-[a-z0-9-]+/mcp$`),
  )
  expect(await page.locator('summary code').allInnerTexts()).toEqual(
    expect.arrayContaining(['list_files', 'read_file', 'add_file']),
  )
  expect(page.complaints).toEqual([])
})
