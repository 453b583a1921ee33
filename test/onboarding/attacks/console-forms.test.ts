import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { people } from '../../support/doubles/console-issuer.ts'
import type { HttpBrowser } from '../../support/http/http-browser.ts'
import { type ConsoleWorld, formTokenIn, startConsoleWorld } from '../../support/worlds/console-world.ts'

let world: ConsoleWorld
let browser: HttpBrowser
let csrf: string

beforeAll(async () => {
  world = await startConsoleWorld()
  browser = await world.signIn()
  csrf = formTokenIn((await world.open(browser, '/account')).text)
})

afterAll(() => world.close())

/** Ends every session of the agent. If a forged form succeeded, the next test would find the agent signed out. */
const send = (init: RequestInit & { headers?: Record<string, string> }, path = '/sign-out-everywhere') =>
  fetch(`${world.url}/support${path}`, {
    method: 'POST',
    redirect: 'manual',
    ...init,
    headers: { Cookie: browser.cookiesFor(`${world.url}/support`), ...init.headers },
  })

const form = 'application/x-www-form-urlencoded'
const ours = () => ({ 'Content-Type': form, Origin: world.url })
const body = () => new URLSearchParams({ csrf }).toString()

describe('case 36, forged requests', () => {
  test.each([
    ['a form of another site', () => ({ headers: { ...ours(), Origin: 'https://evil.example' }, body: body() })],
    [
      'a form with a cross-site fetch header',
      () => ({ headers: { ...ours(), 'Sec-Fetch-Site': 'cross-site' }, body: body() }),
    ],
    [
      'another origin of the same site',
      () => ({ headers: { ...ours(), 'Sec-Fetch-Site': 'same-site' }, body: body() }),
    ],
    [
      'an origin that resembles ours',
      () => ({ headers: { ...ours(), Origin: `${world.url}.evil.example` }, body: body() }),
    ],
    ['no origin at all', () => ({ headers: { 'Content-Type': form }, body: body() })],
    ['origin null', () => ({ headers: { ...ours(), Origin: 'null' }, body: body() })],
    ['no token', () => ({ headers: ours(), body: '' })],
    ['a guessed token', () => ({ headers: ours(), body: 'csrf=guess' })],
    ['the token twice', () => ({ headers: ours(), body: `${body()}&${body()}` })],
    ['the token in the URL', () => ({ headers: ours(), body: '' }), `/sign-out-everywhere?csrf=x`],
  ])('%s is rejected with 403 and audited', async (_, request, path?: string) => {
    const mark = await world.mark()

    const { status } = await send(request(), path)

    expect(status).toBe(403)
    expect((await world.open(browser, '/account')).status).toBe(200)
    await world.check(mark, { audit: { action: 'csrf.rejected' } })
  })

  test('the token of another or ended session is rejected', async () => {
    const other = await world.signIn(people.viewer)
    const foreign = formTokenIn((await world.open(other, '/account')).text)
    const ended = await world.signIn()
    const replayed = formTokenIn((await world.open(ended, '/account')).text)
    await world.send(ended, '/sign-out')

    const answers = await Promise.all(
      [foreign, replayed].map((each) => send({ headers: ours(), body: `csrf=${each}` })),
    )

    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect((await world.open(browser, '/account')).status).toBe(200)
  })

  test.each([
    ['JSON as plain text', 'text/plain', () => JSON.stringify({ csrf })],
    ['JSON', 'application/json', () => JSON.stringify({ csrf })],
    [
      'a multipart form',
      'multipart/form-data; boundary=x',
      () => `--x\r\nContent-Disposition: form-data; name="csrf"\r\n\r\n${csrf}\r\n--x--`,
    ],
  ])('%s is not parsed', async (_, type, content) => {
    const { status } = await send({ headers: { 'Content-Type': type, Origin: world.url }, body: content() })

    expect(status).toBe(415)
    expect((await world.open(browser, '/account')).status).toBe(200)
  })

  test.each(['GET', 'PUT', 'DELETE', 'PATCH', 'OPTIONS'])('%s changes nothing', async (method) => {
    const { status } = await send({ method, headers: ours() })

    expect([404, 405]).toContain(status)
    expect((await world.open(browser, '/account')).status).toBe(200)
  })

  test('a method override in a form is ignored', async () => {
    const { status } = await send({ headers: ours(), body: `${body()}&_method=DELETE` }, '/account')

    expect(status).toBe(404)
  })
})

test('case 38, clickjacking: every console response, including errors and redirects, forbids frames', async () => {
  const stranger = { headers: {}, redirect: 'manual' } as const
  const answers = await Promise.all([
    world.open(browser, '/'),
    world.open(browser, '/nothing-here'),
    world.open(browser, '/connections?status=wrong'),
    fetch(`${world.url}/support`, stranger),
    fetch(`${world.url}/support/sign-in`, stranger),
    fetch(`${world.url}/support/callback?state=x`, stranger),
    send({ headers: ours(), body: '' }),
    send({ headers: { 'Content-Type': 'text/plain' }, body: 'x' }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([200, 404, 422, 303, 303, 403, 403, 415])
  for (const { headers } of answers) {
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
  }
})

describe('case 40, other origins', () => {
  test.each(['https://evil.example', 'null', 'https://acme.example.evil.example'])(
    '%s cannot read any console or API response, with or without credentials',
    async (origin) => {
      const preflight = {
        Origin: origin,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'authorization',
      }
      const answers = await Promise.all([
        send({ method: 'GET', headers: { Origin: origin } }, '/account'),
        send({ method: 'OPTIONS', headers: preflight }, '/account'),
        fetch(`${world.url}/api/v1/connections`, { headers: { Origin: origin, Authorization: `Bearer ${world.key}` } }),
        fetch(`${world.url}/api/v1/connections`, { method: 'OPTIONS', headers: preflight }),
        fetch(`${world.url}/connect/${'x'.repeat(43)}`, { headers: { Origin: origin } }),
      ])

      const allowed = answers.flatMap(({ headers }) =>
        [...headers.keys()].filter((name) => name.startsWith('access-control')),
      )
      expect(allowed).toEqual([])
    },
  )

  test('a console session cannot call the API, and an API key cannot open the console', async () => {
    const cookie = browser.cookiesFor(`${world.url}/support`)
    const api = await fetch(`${world.url}/api/v1/connections`, { headers: { Cookie: cookie } })
    const page = await fetch(`${world.url}/support`, {
      headers: { Authorization: `Bearer ${world.key}` },
      redirect: 'manual',
    })

    expect([api.status, page.status]).toEqual([401, 303])
  })
})
