// Cases 19 and 20 of the attack catalogue: a user reaches the provider only by pressing a button here, and flows in
// one browser do not interfere.
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type AttackWorld, queryOf, startAttackWorld, withQuery } from '../../support/worlds/attack-world.ts'
import { type MintedSession, returnUrl } from '../../support/worlds/onboarding-world.ts'

let world: AttackWorld

beforeAll(async () => {
  world = await startAttackWorld()
  const globex = { workspace: 'globex', displayName: 'Globex', returnUrls: [returnUrl] }
  await world.api('PUT', '/tenants/globex', globex)
})
afterAll(() => world.close())

describe('case 19, consent bypass', () => {
  test('viewing the page creates no state and no cookie', async () => {
    const minted = await world.mint()
    const redis = new Redis(world.redis.url)
    const states = async () => (await redis.keys('onboarding:authorization:*')).length
    const [before, statesBefore] = [await world.mark(), await states()]

    const page = await new HttpBrowser().get(minted.url)

    expect(page.status).toBe(200)
    expect(page.headers.getSetCookie()).toEqual([])
    expect(await states()).toBe(statesBefore)
    redis.disconnect()
    await world.check(before, { audit: undefined })
  })

  test('a state that we did not issue is rejected', async () => {
    const { browser } = await world.untilCallback(await world.mint())
    const honest = world.provider.seen.authorizations.at(-1) ?? {}
    const made = new URLSearchParams({ ...honest, state: 'M'.repeat(43) })
    const before = await world.mark()

    const visited = await browser.follow(await browser.get(`${world.provider.url}/authorize?${made}`))

    expect(visited.status).toBe(410)
    await world.check(before, { audit: { action: 'callback.rejected', facts: { refusal: 'state_unknown' } } })
  })

  test('another browser cannot replay a consent', async () => {
    const minted = await world.mint()
    await world.untilCallback(minted)
    const before = await world.mark()

    const again = await new HttpBrowser().post(minted.url)

    expect(again.status).toBe(410)
    expect(again.headers.get('refresh')).toBeNull()
    await world.check(before, { audit: { action: 'connect.rejected', facts: { refusal: 'token_used' }, of: minted } })
  })

  test('pressing the button twice in one browser creates one link', async () => {
    const minted = await world.mint()
    const before = await world.mark()
    const { url: first, browser } = await world.untilCallback(minted)
    const { url: second } = await world.untilCallback(minted, browser)

    const back = await browser.get(second)
    const completed = await world.complete(minted, queryOf(back.headers.get('location')))
    const late = await browser.get(first)

    expect(completed.body).toMatchObject({ status: 'linked' })
    expect(queryOf(late.headers.get('location'))).toMatchObject({ status: 'linked', link_id: completed.body.id })
    await world.check(before, { tokenRequests: 1, posts: 2, audit: undefined })
  })

  const foreign: Record<string, Record<string, string>> = {
    'another site': { Origin: 'https://evil.example' },
    'a sandboxed frame': { Origin: 'null' },
    'no origin at all': { Origin: '' },
    'a site whose name begins like ours': { Origin: 'http://127.0.0.1' },
    'another site, as the browser tells': { 'Sec-Fetch-Site': 'cross-site' },
    'a neighbour on the same site': { 'Sec-Fetch-Site': 'same-site' },
    'an address typed by hand': { 'Sec-Fetch-Site': 'none' },
  }

  test.each(Object.entries(foreign))('a form sent from %s starts nothing', async (_name, headers) => {
    const minted = await world.mint()
    const before = await world.mark()

    const posted = await new HttpBrowser().post(minted.url, {}, headers)

    expect(posted.status).toBe(403)
    expect(posted.headers.getSetCookie()).toEqual([])
    expect((await world.api('GET', `/connect-sessions/${minted.id}`)).body).toMatchObject({ status: 'open' })
    await world.check(before, {
      audit: { action: 'connect.rejected', facts: { refusal: 'consent_missing' }, of: minted },
    })
  })
})

describe('case 20, parallel flows in one browser', () => {
  test('three tabs of two tenants, finished in reverse order, each end in their own workspace', async () => {
    const browser = new HttpBrowser()
    const tabs = []
    const before = await world.mark()
    for (const tenant of ['acme', 'globex', 'acme']) {
      const minted = await world.mint({ tenantId: tenant })
      tabs.push({ tenant, minted, ...(await world.untilCallback(minted, browser)) })
    }

    for (const { tenant, minted, url } of tabs.reverse()) {
      const back = await browser.get(url)
      const { body } = await world.complete(minted, queryOf(back.headers.get('location')))

      expect(body).toMatchObject({ status: 'linked', tenantId: tenant, connection: { workspace: tenant } })
      expect(world.platform.connections.has(`${tenant}/${body.connection.name}`)).toBe(true)
    }
    await world.check(before, { tokenRequests: 3, posts: 6, audit: undefined })
  })

  test('of fifty flows, the newest five stay alive and the cookies stay small', async () => {
    const browser = new HttpBrowser()
    const opened: Array<{ minted: MintedSession; url: string }> = []
    const before = await world.mark()
    for (let nth = 0; nth < 50; nth++) {
      const minted = await world.mint()
      opened.push({ minted, url: (await world.untilCallback(minted, browser)).url })
    }

    const cookies = browser.cookiesFor(world.url)
    const [first] = opened as [(typeof opened)[number]]
    const oldest = await browser.get(first.url)
    const newest = await Promise.all(opened.slice(-5).map(({ url }) => browser.get(url)))

    expect(cookies.split('; ')).toHaveLength(5)
    expect(cookies.length).toBeLessThan(4_096)
    expect(oldest.status).toBe(403)
    for (const { headers } of newest) expect(queryOf(headers.get('location'))).toMatchObject({ status: 'authorized' })
    await world.check(before, {
      audit: { action: 'callback.rejected', facts: { refusal: 'browser_mismatch' }, of: first.minted },
    })
  })

  test('after fifty concurrent tabs, the newest ten can finish', async () => {
    const browser = new HttpBrowser()
    const minted = []
    for (let tab = 0; tab < 50; tab++) minted.push(await world.mint())
    const before = await world.mark()
    for (const each of minted.slice(0, 40)) await keepOwnCookie(browser, each.url)
    const { url } = await world.untilCallback(minted[49] as (typeof minted)[number], browser)

    const back = await browser.get(withQuery(url, {}))

    expect(queryOf(back.headers.get('location'))).toMatchObject({ status: 'authorized' })
    await world.check(before, { audit: undefined })
  })
})

/** As tabs that were opened before any answer came: none knows of the others' cookies. */
async function keepOwnCookie(browser: HttpBrowser, url: string) {
  const alone = new HttpBrowser()
  browser.keep(url, (await alone.post(url)).headers.getSetCookie())
}
