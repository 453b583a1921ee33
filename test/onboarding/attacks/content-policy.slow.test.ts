import express from 'express'
import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { listen } from '../../../src/kit/http/http-server.ts'
import { launchBrowser, newVisitor } from '../../journeys/watched-browser.ts'
import { people } from '../../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/worlds/console-world.ts'

let world: ConsoleWorld
let chromium: Browser
let tenant: Awaited<ReturnType<typeof startTenant>>

beforeAll(async () => {
  ;[world, chromium, tenant] = await Promise.all([startConsoleWorld(), launchBrowser(), startTenant()])
  const returnUrls = Object.values(tenant.urls)
  await world.api('PUT', '/tenants/acme', { workspace: 'acme', displayName: 'Acme', returnUrls })
})

afterAll(async () => {
  await chromium?.close()
  await tenant?.close()
  await world?.close()
})

describe('case 39, the content policy and form targets', () => {
  test.each([
    ['a first consent, granted by the user', 'asks', 'stays'],
    ['a returning user whom the provider approves immediately', 'approves', 'stays'],
    ['a tenant whose return URL redirects to another site', 'approves', 'leadsOn'],
  ] as const)('%s renders without CSP violations', async (_, provider, way) => {
    const page = await newVisitor(chromium)
    if (provider === 'asks') askFirst()

    await page.goto((await world.mint({ returnUrl: tenant.urls[way] })).url)
    await page.click('button')
    if (provider === 'asks') await page.getByRole('link', { name: 'Allow' }).click()
    await page.getByText('arrived').waitFor()

    expect(new URL(page.url()).pathname).toBe(way === 'leadsOn' ? '/elsewhere' : '/return')
    expect(page.complaints).toEqual([])
  })

  test('signing in to the console, using it and signing out cause no CSP violations', async () => {
    const page = await newVisitor(chromium)
    world.issuer.person = people.agent

    await page.goto(`${world.url}/support`)
    await page.getByLabel('Search').pressSequentially('acme')
    await page.getByRole('link', { name: 'Acme' }).waitFor()
    for (const path of ['connections', 'links', 'campaigns', 'webhooks', 'audit', 'account']) {
      await page.goto(`${world.url}/support/${path}`)
    }
    await page.getByRole('banner').getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'You’re signed out' }).waitFor()

    expect(page.complaints).toEqual([])
  })
})

/** A tenant's site, and another one that it may send people on to; `localhost` is another site than our address. */
async function startTenant() {
  const app = express()
  const icon = '<link rel="icon" href="data:,">'
  app.get(['/return', '/elsewhere'], (_req, res) => void res.send(`${icon}<p>arrived</p>`))
  app.get('/leads-on', (req, res) => res.redirect(302, `http://other.localhost:${req.socket.localPort}/elsewhere`))
  const { port, close } = await listen(app, { host: '127.0.0.1', port: 0 })
  const url = `http://localhost:${port}`
  return { urls: { stays: `${url}/return`, leadsOn: `${url}/leads-on` }, close: () => close(0) }
}

/** The provider shows a page once, and then behaves normally. */
function askFirst() {
  world.provider.misbehave({
    authorize: (query, res) => {
      world.provider.misbehave({ authorize: undefined })
      res.send(`<link rel="icon" href="data:,"><a href="/authorize?${new URLSearchParams(query)}">Allow</a>`)
    },
  })
}
