import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../support/doubles/console-issuer.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { type ConsoleWorld, formTokenIn, startConsoleWorld } from '../../support/worlds/console-world.ts'

let world: ConsoleWorld
let redis: Redis

beforeAll(async () => {
  world = await startConsoleWorld()
  redis = new Redis(world.redis.url)
})

afterAll(async () => {
  redis.disconnect()
  await world.close()
})

const cookieOf = (browser: HttpBrowser) => browser.cookiesFor(`${world.url}/support`)
const sessionKeys = () => redis.keys('onboarding:console:session:*')
/** A browser that has nothing but this cookie. */
const withCookie = (cookie: string) => {
  const browser = new HttpBrowser()
  browser.keep(`${world.url}/support`, [`${cookie}; Path=/`])
  return browser
}
const isSignedIn = async (browser: HttpBrowser) => (await world.open(browser, '/account')).status === 200

describe('case 34, session fixation', () => {
  test('the session ID from before the sign-in is deleted from the store', async () => {
    const browser = new HttpBrowser()
    await world.open(browser, '/sign-in/start')
    const planted = cookieOf(browser)
    const [before = ''] = await sessionKeys()

    await world.signIn(people.agent, browser)

    expect(cookieOf(browser)).not.toBe(planted)
    expect(await redis.exists(before)).toBe(0)
    expect(await isSignedIn(withCookie(planted))).toBe(false)
    expect(await isSignedIn(browser)).toBe(true)
  })

  test('signing in again creates a new session', async () => {
    const browser = await world.signIn()
    const before = cookieOf(browser)

    await browser.follow(await world.open(browser, '/sign-in/start?again&next=/support/account'))

    expect(world.issuer.authorizations.at(-1)).toMatchObject({ prompt: 'login', max_age: '0' })
    expect(cookieOf(browser)).not.toBe(before)
    expect([await isSignedIn(withCookie(before)), await isSignedIn(browser)]).toEqual([false, true])
  })

  test('a signed but unknown session ID never becomes a session', async () => {
    const browser = await world.signIn()
    const cookie = cookieOf(browser)
    for (const key of await sessionKeys()) await redis.del(key)

    const visited = await world.open(withCookie(cookie), '/account')

    expect(visited.status).toBe(303)
    expect(await sessionKeys()).toEqual([])
  })

  test('a re-authentication requires a new auth_time', async () => {
    const browser = await world.signIn()
    Object.assign(world.issuer, { lazy: true, provedSecondsAgo: 3_600 })

    const visited = await browser.follow(await world.open(browser, '/sign-in/start?again'))

    Object.assign(world.issuer, { lazy: false, provedSecondsAgo: 0 })
    expect([visited.status, visited.text]).toEqual([403, expect.stringContaining('did not ask you to sign in again')])
  })

  test('a re-authentication without auth_time is rejected', async () => {
    const browser = await world.signIn()
    world.issuer.claims = { auth_time: undefined }

    const visited = await browser.follow(await world.open(browser, '/sign-in/start?again'))

    world.issuer.claims = {}
    expect([visited.status, visited.text]).toEqual([
      403,
      expect.stringContaining('doesn’t say when you last signed in'),
    ])
  })
})

describe('case 42, sign-in and the end of a session', () => {
  test('signing out deletes the session on the server', async () => {
    const browser = await world.signIn()
    const cookie = cookieOf(browser)

    const visited = await world.send(browser, '/sign-out')

    expect([visited.status, visited.headers.get('location')]).toEqual([303, '/support/signed-out'])
    expect(await isSignedIn(withCookie(cookie))).toBe(false)
  })

  test("signing out everywhere ends only that user's sessions", async () => {
    const [first, second, other] = [await world.signIn(), await world.signIn(), await world.signIn(people.viewer)]

    await world.send(first, '/sign-out-everywhere')

    expect([await isSignedIn(first), await isSignedIn(second), await isSignedIn(other)]).toEqual([false, false, true])
    expect(await world.audit('console.signed_out_everywhere')).toHaveLength(1)
  })

  test('a concurrent request cannot restore a session that was ended', async () => {
    const [first, second] = [await world.signIn(), await world.signIn()]
    const key = await newestKey()
    const saved = (await redis.get(key)) as string

    await world.send(first, '/sign-out-everywhere')
    await redis.set(key, saved, 'EX', 900)

    expect(await isSignedIn(second)).toBe(false)
    expect(await redis.exists(key)).toBe(0)
  })

  test('a session expires after 15 idle minutes, and each request extends it', async () => {
    const browser = await world.signIn()
    const key = await newestKey()
    await redis.expire(key, 30)
    const since = performance.now()

    await world.open(browser, '/account')
    const putOff = await redis.ttl(key)
    const secondsAgo = (performance.now() - since) / 1_000
    await redis.pexpire(key, 1)
    await expect.poll(() => redis.exists(key), { timeout: 20_000 }).toBe(0)

    expect(putOff).toBeGreaterThan(898 - secondsAgo)
    expect(putOff).toBeLessThanOrEqual(900)
    expect(await isSignedIn(browser)).toBe(false)
  })

  test('a session ends after eight hours even if it is used', async () => {
    const browser = await world.signIn()
    await changeSession({ signedInAt: Date.now() - 8 * 3_600_000 - 1 })

    expect(await isSignedIn(browser)).toBe(false)
    expect(await sessionKeys()).not.toContain(cookieOf(browser))
  })

  test('a session ends within a minute after its account or role is removed', async () => {
    const [deleted, demoted] = [await world.signIn(people.agent), await world.signIn(people.admin)]
    await isSignedIn(deleted) // asked once, so that what follows is not the first time
    world.issuer.deleted.add(people.agent.sub)
    world.issuer.claims = { roles: ['causeway-viewer'] }

    await forgetRates()
    const after = [await isSignedIn(deleted), await isSignedIn(demoted)]

    world.issuer.deleted.clear()
    world.issuer.claims = {}
    expect(after).toEqual([false, false])
  })

  test('a session ends when the issuer omits the empty role claim', async () => {
    const browser = await world.signIn(people.admin)
    world.issuer.claims = { roles: undefined }

    await forgetRates()
    const stays = await isSignedIn(browser)

    world.issuer.claims = {}
    expect(stays).toBe(false)
  })

  test('a refresh without an ID token ends no session', async () => {
    const browser = await world.signIn()
    world.issuer.refreshesWithoutIdentity = true

    await forgetRates()
    const stays = await isSignedIn(browser)

    world.issuer.refreshesWithoutIdentity = false
    expect(stays).toBe(true)
  })

  test('an unavailable issuer ends no session', async () => {
    const browser = await world.signIn()
    const honest = world.issuer.url
    world.issuer.url = 'http://127.0.0.1:1' // what it says no longer fits what was asked

    await forgetRates()
    const stays = await isSignedIn(browser)

    world.issuer.url = honest
    expect(stays).toBe(true)
  })

  test('a user without a role gets an error and is rate limited', async () => {
    const tries = []
    for (let count = 0; count < 7; count++) tries.push(await trySigningIn(people.stranger))

    expect(tries.slice(0, 5).map(({ status }) => status)).toEqual([403, 403, 403, 403, 403])
    expect(tries.at(-1)?.status).toBe(429)
    expect(tries[0]?.text).toContain('Your account has no role in this console')
    expect(await sessionsOf(people.stranger.sub)).toBe(0)
  })

  test.each([
    ['an unsolicited callback', async () => world.open(new HttpBrowser(), '/callback?code=x&state=y')],
    ['another state', async () => answered((url) => url.searchParams.set('state', 'x'.repeat(43)))],
    ['another issuer', async () => answered((url) => url.searchParams.set('iss', 'https://evil.example'))],
    ['a repeated code parameter', async () => answered((url) => url.searchParams.append('code', 'y'))],
    ['a replayed callback', async () => answeredTwice()],
    ['a cancelled sign-in', async () => trySigningIn(undefined)],
  ])('%s does not sign in', async (_, attempt) => {
    const visited = await attempt()

    expect([visited.status, visited.text]).toEqual([403, expect.stringContaining('Sign-in failed')])
  })

  test('sign-in attempts are rate limited per visitor', async () => {
    const strict = await startConsoleWorld({ env: { CONSOLE_SIGN_INS: '3' } })
    const browser = new HttpBrowser()
    const statuses = []
    for (let count = 0; count < 4; count++) statuses.push((await strict.open(browser, '/sign-in/start')).status)
    await strict.close()

    expect(statuses).toEqual([303, 303, 303, 429])
  })

  test('the redirect after sign-in never leads to another site', async () => {
    const addresses = ['https://evil.example', '//evil.example', '/\\evil.example', '/supportevil', '/connect/x']
    const visited = await Promise.all(
      addresses.map(async (next) => {
        const browser = new HttpBrowser()
        const start = await world.open(browser, `/sign-in/start?next=${encodeURIComponent(next)}`)
        return (await browser.follow(start, `${world.url}/support/callback`)).url
      }),
    )
    const browser = new HttpBrowser()
    const start = await world.open(browser, `/sign-in/start?next=${encodeURIComponent('/support/audit?actor=x')}`)
    const landed = await browser.follow(start)

    expect(visited.every((url) => url.startsWith(world.url))).toBe(true)
    expect(new URL(landed.url).pathname).toBe('/support/audit')
  })

  test('over HTTPS, the cookie is host-only and secure', async () => {
    const secure = await startConsoleWorld({ env: { PUBLIC_URL: 'https://connect.example' } })
    const start = (headers: Record<string, string>) =>
      fetch(`${secure.url}/support/sign-in/start`, { headers, redirect: 'manual' })

    const plain = await start({})
    const behindTls = await start({ 'X-Forwarded-Proto': 'https' })
    await secure.close()

    expect(plain.headers.getSetCookie()).toEqual([])
    expect(behindTls.headers.getSetCookie()[0]).toMatch(
      /^__Host-console=[^;]+; Path=\/; Expires=[^;]+; HttpOnly; Secure; SameSite=Lax$/,
    )
  })
})

test('linking pages do not use console sessions', async () => {
  const browser = await world.signIn()
  const minted = await world.mint()

  const { headers } = await browser.get(minted.url)

  expect(headers.getSetCookie()).toEqual([])
})

test('sign-in secrets do not appear in Redis, the audit log or the logs', async () => {
  const mark = await world.mark()

  const browser = await world.signIn()
  world.watch({ name: 'state', value: world.issuer.authorizations.at(-1)?.state ?? '' })
  const codes = world.issuer.tokenRequests.filter(({ code }) => code)
  world.watch({ name: 'PKCE verifier', value: codes.at(-1)?.code_verifier ?? '' })
  await world.open(browser, '/')

  await world.check(mark, { audit: { action: 'console.signed_in' } })
})

async function trySigningIn(person: (typeof people)['stranger'] | undefined) {
  world.issuer.person = person
  const browser = new HttpBrowser()
  const visited = await browser.follow(await world.open(browser, '/sign-in/start'))
  world.issuer.person = people.agent
  return visited
}

/** Signs in, with something changed in what comes back from the issuer. */
async function answered(change: (url: URL) => void) {
  const browser = new HttpBrowser()
  const { url } = await browser.follow(await world.open(browser, '/sign-in/start'), `${world.url}/support/callback`)
  const changed = new URL(url)
  change(changed)
  return browser.get(changed.href)
}

async function answeredTwice() {
  const browser = new HttpBrowser()
  const { url } = await browser.follow(await world.open(browser, '/sign-in/start'), `${world.url}/support/callback`)
  await browser.get(url)
  return browser.get(url)
}

const newestKey = async () => {
  const keys = await sessionKeys()
  // Sorts by sign-in time, because the remaining lifetime depends on when it is read.
  const made = await Promise.all(keys.map(async (key) => ({ key, at: await signedInAt(key) })))
  return made.sort((a, b) => b.at - a.at)[0]?.key ?? ''
}

const signedInAt = async (key: string): Promise<number> =>
  JSON.parse((await redis.get(key)) ?? '{}').signedIn?.signedInAt ?? 0

async function changeSession(change: object): Promise<void> {
  const key = await newestKey()
  const stored = JSON.parse((await redis.get(key)) ?? '{}')
  await redis.set(key, JSON.stringify({ ...stored, signedIn: { ...stored.signedIn, ...change } }), 'KEEPTTL')
}

async function forgetRates(): Promise<void> {
  for (const key of await redis.keys('onboarding:rate:*')) await redis.del(key)
}

async function sessionsOf(subject: string): Promise<number> {
  const stored = await Promise.all((await sessionKeys()).map((key) => redis.get(key)))
  return stored.filter((text) => text?.includes(subject)).length
}

test('each console page contains the CSRF token of its own session', async () => {
  const [one, other] = [await world.signIn(), await world.signIn()]

  const tokens = await Promise.all(
    [one, one, other].map(async (each) => formTokenIn((await world.open(each, '/')).text)),
  )

  const [first, second, foreign] = tokens.map((token) => token.split('.')[0])
  expect(first).toBe(second)
  expect(first).not.toBe(foreign)
})
