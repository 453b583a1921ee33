// Case 24 of the attack catalogue: a secret in a URL stays in the browser that received it.
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { freePort } from '../../../src/kit/embedded/free-port.ts'
import { openWorld } from '../../../src/onboarding/compose.ts'
import { readConfig } from '../../../src/onboarding/config.ts'
import { launchBrowser, newVisitor } from '../../journeys/watched-browser.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { leaks } from '../../support/oracles/canaries.ts'
import { createTestDatabase } from '../../support/processes/stores.ts'
import { type AttackWorld, startAttackWorld } from '../../support/worlds/attack-world.ts'
import { returnUrl } from '../../support/worlds/onboarding-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
})
afterAll(() => world.close())

describe('case 24, leak by URL, Referer, history, cache', () => {
  test('no page loads or names another origin, except the links to the provider and the tenant', async () => {
    const minted = await world.mint()
    const browser = new HttpBrowser()
    const before = await world.mark()

    const connect = await browser.get(minted.url)
    const leaving = await browser.post(minted.url)
    const ended = await new HttpBrowser().get(minted.url)

    expect(addressesElsewhere(connect.text)).toEqual([])
    expect(addressesElsewhere(ended.text).map((address) => address.split('?')[0])).toEqual([returnUrl])
    const onward = addressesElsewhere(leaving.text)
    expect(onward).toHaveLength(1)
    expect(onward[0]).toContain(`${world.provider.url}/authorize`)
    await world.check(before, { audit: undefined })
  })

  test('the callback redirects away from its URL, and the log contains routes instead of URLs', async () => {
    const { url, browser, query } = await world.untilCallback(await world.mint())
    const before = await world.mark()

    const back = await browser.get(url)
    const location = back.headers.get('location') ?? ''

    expect(back.status).toBe(303)
    for (const secret of [query.code, query.state]) expect(location).not.toContain(secret)
    const routes = world.logLines.map((line) => JSON.parse(line).route)
    expect(routes).toContain('/oauth/callback/:integration')
    expect(routes).toContain('/connect/:token')
    await world.check(before, { audit: undefined })
  })

  test('a real browser sends no Referer from our pages and loads nothing from other origins', async () => {
    const elsewhere = await recorder()
    const chromium = await launchBrowser()
    const arrivals: IncomingHttpHeaders[] = []
    world.provider.misbehave({
      authorize: (_query, res) => {
        arrivals.push(res.req.headers)
        res.send('<h1>Provider</h1>')
      },
    })
    const minted = await world.mint()
    const before = await world.mark()

    const errorAtCallback = `${world.url}/oauth/callback/provider?code=CANARY-CODE-x&state=${'s'.repeat(43)}`
    for (const address of [minted.url, errorAtCallback])
      await leaveFor(elsewhere.url, await openPage(chromium, address))
    const page = await openPage(chromium, minted.url)
    await page.click('button')
    await page.waitForURL(`${world.provider.url}/**`)
    await page.goBack()

    expect(elsewhere.visits.map(({ path }) => path)).toEqual(['/link', '/link'])
    for (const { headers } of [...elsewhere.visits, ...arrivals.map((headers) => ({ headers }))]) {
      expect(headers.referer).toBeUndefined()
    }
    expect(arrivals).toHaveLength(1)
    expect(page.url()).toMatch(new RegExp(`^${world.url}/`))
    await chromium.close()
    elsewhere.close()
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'state_unknown' } } })
  })

  test('the program prints no secret at the debug level', async () => {
    const program = await startProgram()
    const before = await world.mark()

    await program.linkAndStumble()
    const printed = await program.stop()

    expect(printed).toContain('/oauth/callback/:integration')
    expect(leaks([{ name: 'api key', value: program.key }], [{ place: 'log', text: printed }])).toEqual([])
    for (const value of program.secrets) expect(printed).not.toContain(value)
    // The link was another program's, with the same provider and platform; this one has nothing to write down.
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })
})

/** Whatever a page would load, link to or send to that is not its own. */
function addressesElsewhere(html: string): string[] {
  const all = [...html.matchAll(/(?:src|href|action|srcset|data)="([^"]*)"/g)].map(([, address = '']) => address)
  return all.filter((address) => /^([a-z]+:|\/\/)/i.test(address) && !address.startsWith(world.url))
}

async function openPage(chromium: Browser, address: string): Promise<Page> {
  const page = await newVisitor(chromium)
  await page.goto(address)
  return page
}

/** Acts like a tampered page: an image, a request, and a link that the user presses. */
async function leaveFor(elsewhere: string, page: Page) {
  await page.evaluate(`
    new Image().src = '${elsewhere}/image'
    fetch('${elsewhere}/fetch').catch(() => {})
    const link = Object.assign(document.createElement('a'), { href: '${elsewhere}/link', id: 'away', textContent: 'away' })
    document.body.prepend(link)
  `)
  await page.click('#away')
  await page.waitForURL(`${elsewhere}/link`)
}

/** Another origin, that remembers who came with what. */
async function recorder() {
  const visits: Array<{ path: string; headers: IncomingHttpHeaders }> = []
  const server = createServer((req, res) => {
    if (req.url !== '/favicon.ico') visits.push({ path: req.url ?? '', headers: req.headers })
    res.end('elsewhere')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return { visits, url: `http://127.0.0.1:${port}`, close: () => server.close() }
}

/** Starts the program as a process and collects its output. */
async function startProgram() {
  const port = await freePort()
  const url = `http://127.0.0.1:${port}`
  const env = {
    ...world.env,
    PORT: String(port),
    HOST: '127.0.0.1',
    PUBLIC_URL: url,
    DATABASE_URL: await createTestDatabase('onboarding'),
    VERIFY_FUNCTIONS: 'true',
    LOG_LEVEL: 'trace',
    DEBUG: '*',
  }
  const child: ChildProcess = spawn(process.execPath, ['dist/onboarding/main.js'], {
    env,
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  const printed: string[] = []
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => printed.push(String(chunk)))
  await once(child, 'message')
  const opened = openWorld(readConfig(env))
  const operator = { kind: 'operator' as const }
  const key = (await opened.apiKeys.create({ name: 'test', tenant: undefined }, operator)).key.reveal()
  await opened.close()
  const api = world.apiAs(key, url)
  const secrets: string[] = []

  return {
    key,
    secrets,
    async linkAndStumble() {
      const returnUrl = 'https://acme.example/return'
      await api('PUT', '/tenants/acme', { workspace: 'acme', displayName: 'Acme', returnUrls: [returnUrl] })
      const verifier = 'v'.repeat(43)
      const completionChallenge = world.world.tokens.challenge(verifier)
      const session = {
        tenantId: 'acme',
        integrationId: 'provider',
        endUser: { id: 'u' },
        returnUrl,
        completionChallenge,
      }
      const { body } = await api('POST', '/connect-sessions', session)
      const browser = new HttpBrowser()
      const { url: address } = await browser.follow(await browser.post(body.url), returnUrl)
      const query = Object.fromEntries(new URL(address).searchParams)
      const proof = { completionCode: query.completion_code, completionVerifier: verifier }
      const completed = await api('POST', `/connect-sessions/${body.id}/complete`, proof)
      expect(completed.body).toMatchObject({ status: 'linked' })
      await browser.get(`${url}/oauth/callback/provider?code=CANARY-CODE-x&state=%`)
      await new HttpBrowser().get(`${url}/oauth/callback/provider?code=CANARY-CODE-x&state=${'s'.repeat(43)}`)
      const state = world.provider.seen.authorizations.at(-1)?.state ?? ''
      secrets.push(body.url.split('/').at(-1), verifier, state, query.completion_code ?? '')
    },
    async stop(): Promise<string> {
      child.kill('SIGTERM')
      await once(child, 'close') // at 'exit' the last lines may still be in the pipe
      return printed.join('')
    },
  }
}
