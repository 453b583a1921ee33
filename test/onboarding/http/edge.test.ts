// Requests that can be read in two ways, at the whole program. The rules themselves are tried in
// test/kit/request-rules.test.ts.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describedApi } from '../../../src/onboarding/app.ts'
import { bodyOf, exchange, statusOf } from '../../support/http/raw-http.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { type OnboardingWorld, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

const send = (line: string, headers: string[] = [], body = '') =>
  exchange(
    world.url,
    [`${line} HTTP/1.1`, `Host: ${new URL(world.url).host}`, 'Connection: close', ...headers, '', body].join('\r\n'),
  )

test('S15: rejects two credentials as a request error, whatever the first one is', async () => {
  const good = `Authorization: Bearer ${world.key}`

  const answer = await send('GET /api/v1/tenants/acme', [good, 'Authorization: Bearer other'])

  expect(answer).toMatch(/content-type: application\/problem\+json/i)
  expect(JSON.parse(bodyOf(answer))).toMatchObject({
    status: 400,
    detail: 'The header authorization must not be repeated.',
  })
})

test('S15: a key in a URL is rejected, reported as leaked once, and never shown', async () => {
  const { id, key } = await world.world.apiKeys.create({ name: 'careless', tenant: 'acme' }, { kind: 'operator' })
  const target = `/api/v1/links?api_key=${key.reveal()}`

  const answer = await send(`GET ${target}`, [`Authorization: Bearer ${key.reveal()}`])
  await waitFor('the key is on record', async () => (await world.audit('key.exposed')).length > 0)
  await send(`GET ${target}`)

  expect(JSON.parse(bodyOf(answer))).toMatchObject({
    status: 400,
    detail: expect.stringContaining('treat it as leaked'),
  })
  const entries = await world.audit('key.exposed')
  expect(entries).toMatchObject([{ subject_id: id, facts: {} }])
  expect(JSON.stringify(entries)).not.toContain(key.reveal())
})

test('S15: a wrong key in a URL is rejected like a key, without a notice', async () => {
  const before = await world.audit('key.exposed')

  const answer = await send(`GET /api/v1/links?api_key=cwk_${'x'.repeat(43)}`)

  expect(statusOf(answer)).toBe(400)
  expect(await world.audit('key.exposed')).toEqual(before)
})

test('S15: the callback has one spelling, and other spellings use up nothing', async () => {
  const { url, browser } = await world.untilCallback(await world.mint())
  const { pathname, search } = new URL(url)
  const cookies = `Cookie: ${browser.cookiesFor(url)}`
  const spellings = [
    pathname.replace('callback', 'Callback'),
    pathname.replace('/oauth', '/OAuth'),
    `${pathname}/`,
    `/${pathname}`,
    pathname.replace('provider', '%70rovider'),
    pathname.replace('callback', 'c%61llback'),
    '/oauth/./callback/provider',
    `${world.url}${pathname}`,
  ]

  const answers = []
  for (const path of spellings) answers.push(statusOf(await send(`GET ${path}${search}`, [cookies])))
  const callback = await browser.get(url)

  expect(answers).toEqual([404, 404, 404, 400, 400, 400, 400, 400])
  expect(callback.status).toBe(303)
})

test('S15: a charset other than UTF-8 returns 415', async () => {
  const headers = [`Authorization: Bearer ${world.key}`, 'Content-Length: 2']

  const answers = await Promise.all(
    ['utf-7', 'utf-16le'].map((charset) =>
      send('POST /api/v1/tenants', [...headers, `Content-Type: application/json; charset=${charset}`], '{}'),
    ),
  )

  expect(answers.map(statusOf)).toEqual([415, 415])
})

test('S15: every API request body rejects unknown fields by name', async () => {
  const routes = describedApi(world.url).routes.filter(({ body }) => body)

  for (const { body, operationId } of routes) {
    const issues = body?.safeParse({ surprise: 1 }).error?.issues ?? []
    expect(issues, operationId).toContainEqual(
      expect.objectContaining({ code: 'unrecognized_keys', keys: ['surprise'], path: [] }),
    )
  }
  expect(routes.length).toBeGreaterThan(10)
  const answer = await world.api('PATCH', '/tenants/acme', { displayName: 'Acme', surprise: 1 })
  expect([answer.status, answer.body.errors]).toEqual([422, [{ pointer: '/surprise', detail: 'is an unknown field' }]])
})

test.each([
  ['null', 400, 'body_unreadable', 'The body must be a JSON object.'],
  ['"x"', 400, 'body_unreadable', 'The body must be a JSON object.'],
  ['7', 400, 'body_unreadable', 'The body must be a JSON object.'],
  ['{"tenantId":', 400, 'body_unreadable', 'The body is not JSON.'],
  [
    `{"name":"${'x'.repeat(33_000)}"}`,
    413,
    'body_too_large',
    'The body is larger than 32 kB, which is what this address takes.',
  ],
])('reports an unreadable body: %.20s', async (text, status, code, detail) => {
  const answer = await fetch(`${world.url}/api/v1/connect-sessions`, {
    method: 'POST',
    headers: { Authorization: `Bearer ${world.key}`, 'Content-Type': 'application/json' },
    body: text,
  })

  expect(await answer.json()).toMatchObject({ status, code, detail })
})
