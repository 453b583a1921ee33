// Ambiguous requests to the whole program. The rules are tested in
// test/kit/request-rules.test.ts.
import { afterAll, expect, test } from 'vitest'
import { hashPassword } from '../../src/platform/identity/domain/password.ts'
import { HttpBrowser } from '../support/http/http-browser.ts'
import { bodyOf, exchange, statusOf } from '../support/http/raw-http.ts'
import { waitFor } from '../support/oracles/wait-for.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const world = await platformWorld({ env: { PUBLIC_URL: 'https://platform.example', ALLOWED_HOSTS: 'platform' } })
const address = await world.listen()
afterAll(() => world.close())

const send = (line: string, headers: string[] = [], host = 'platform.example') =>
  exchange(address, [`${line} HTTP/1.1`, `Host: ${host}`, 'Connection: close', ...headers, '', ''].join('\r\n'))

test('S15: it accepts the hosts of its addresses and the configured ones', async () => {
  const hosts = ['platform.example', 'platform:3000', 'evil.example', '192.0.2.7']

  const answers = await Promise.all(hosts.map((host) => send('GET /openapi.json', [], host)))
  const elsewhere = await send('GET /acme/agents/a', [], 'evil.example')
  const probe = await send('GET /healthz', [], '192.0.2.7')

  expect(answers.map(statusOf)).toEqual([200, 200, 421, 421])
  expect(JSON.parse(bodyOf(answers[2]!))).toMatchObject({ code: 421, error: 'misdirected_request' })
  expect(JSON.parse(bodyOf(elsewhere))).toMatchObject({ error: { code: 'BAD_REQUEST', status: 421 } })
  expect(statusOf(probe)).toBe(200)
})

test('a browser at the root gets the first page, and a program the error of an unknown route', async () => {
  const [browser, program] = await Promise.all([
    send('GET /', ['Accept: text/html,application/xhtml+xml,*/*;q=0.8']),
    send('GET /', ['Accept: */*']),
  ])

  expect([browser, program].map(statusOf)).toEqual([303, 404])
  expect(browser).toMatch(/^location: \/billing\r$/im)
})

test.each(['Authorization', 'X-Service-Authorization', 'X-Service-Workspace', 'Service-Version'])(
  'S15: two lines of %s return 400, at the control plane and at the gateway',
  async (name) => {
    const twice = [`${name}: Bearer a`, `${name.toLowerCase()}: Bearer b`]

    const answers = await Promise.all(['/v0/drives', '/acme/agents/a'].map((path) => send(`GET ${path}`, twice)))

    expect(answers.map(statusOf)).toEqual([400, 400])
  },
)

test('S15: a key in a URL is rejected everywhere, and reported as leaked once', async () => {
  const exposures = async () => {
    const { rows } = await world.pool.query("select * from audit_events where action = 'apikey.exposed'")
    return rows
  }

  const answers = []
  for (const path of ['/v0/drives', '/acme/agents/a', '/oauth/authorize']) {
    answers.push(await send(`GET ${path}?key=${world.admin.key}`))
    await waitFor('the key is on record', async () => (await exposures()).length > 0)
  }

  expect(answers.map(statusOf)).toEqual([400, 400, 400])
  const entries = await exposures()
  expect(entries).toMatchObject([{ resource_kind: 'apikey', action: 'apikey.exposed' }])
  expect(JSON.stringify([answers, entries])).not.toContain(world.admin.key)
})

test.each([
  ['/v0/%64rives', 400],
  ['/V0/drives', 404],
  ['/v0/Drives', 404],
  ['/v0//drives', 400],
  ['/OAuth/token', 404],
])('S15: %s returns %i', async (path, status) => {
  expect(statusOf(await send(`GET ${path}`, [`Authorization: Bearer ${world.admin.key}`]))).toBe(status)
})

test('T18: the session cookie and HSTS apply only to this host', async () => {
  const email = 'admin@acme.example'
  const passwordHash = await hashPassword('open sesame')
  await world.adapters.users.put({ id: 'unused', email, roles: [], passwordHash })
  const browser = new HttpBrowser({}, (url) => url.replace('https://platform.example', address))
  const page = await browser.follow(await browser.get('https://platform.example/billing'))

  const signedIn = await browser.follow(await browser.post(`${page.url}/sign-in`, { email, password: 'open sesame' }))

  expect(page.headers.get('strict-transport-security')).toBe('max-age=31536000')
  expect(browser.cookiesFor('https://platform.example/')).toMatch(/(^|; )__Host-platform_session=/)
  expect(signedIn.url).toContain('/billing')
})
