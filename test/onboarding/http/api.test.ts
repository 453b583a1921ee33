import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { describedApi } from '../../../src/onboarding/app.ts'
import { answerBy } from '../../support/oracles/documented-answers.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let otherTenantKey: string

beforeAll(async () => {
  world = await startOnboarding()
  const tenant = { workspace: 'globex', displayName: 'Globex', returnUrls: ['https://globex.example/return'] }
  await world.api('PUT', '/tenants/globex', tenant)
  const actor = { kind: 'operator' } as const
  const { key } = await world.world.apiKeys.create({ name: 'globex', tenant: 'globex' }, actor)
  otherTenantKey = key.reveal()
})
afterAll(() => world.close())

const routes = () => describedApi(world.url).routes

test('every route rejects a request without a key and names the scheme', async () => {
  for (const [index, { method, path }] of routes().entries()) {
    // Each from another address, because many wrong keys slow down a client.
    const asked = request(world.app)[method](`/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`)
    const answer = await asked.set('X-Forwarded-For', `203.0.113.${index}`)

    expect([method, path, answer.status]).toEqual([method, path, 401])
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'credential_invalid' })
    await world.documented(answerBy(method, path.replaceAll(/\{\w+\}/g, 'x'), answer))
  }
})

test('rejects unknown fields by their pointers', async () => {
  const body = {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'u', role: 'admin' },
    returnUrl,
    completionChallenge: 'c'.repeat(43),
    workspace: 'x',
  }

  const answer = await world.api('POST', '/connect-sessions', body)

  expect(answer.status).toBe(422)
  expect(answer.body.errors.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual([
    '/endUser/role',
    '/workspace',
  ])
})

test('O11: reports a missing field as required', async () => {
  const answer = await world.api('POST', '/connect-sessions', { tenantId: 'acme' })

  expect(answer.body.errors).toContainEqual({ pointer: '/endUser', detail: 'is required' })
  expect(JSON.stringify(answer.body)).not.toContain('undefined')
})

test('escapes field names in JSON pointers', async () => {
  const answer = await world.api('POST', '/connect-sessions', { 'a/b~c': 1, endUser: { 'd~/e': 1 } })

  const unknown = answer.body.errors.filter(({ detail }: { detail: string }) =>
    detail.startsWith('is an unknown field'),
  )
  expect(unknown.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/a~1b~0c', '/endUser/d~0~1e'])
})

test.each(['bearer', 'BEARER', 'Bearer '])('accepts a key with the scheme %j', async (scheme) => {
  const answer = await request(world.app).get('/api/v1/tenants').set('Authorization', `${scheme} ${world.key}`)

  expect(answer.status).toBe(200)
})

test('a repeated Idempotency-Key returns the same response', async () => {
  const body = {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'once' },
    returnUrl,
    completionChallenge: 'c'.repeat(43),
  }
  const key = { 'Idempotency-Key': 'mint-1' }

  const answers = [
    await world.api('POST', '/connect-sessions', body, key),
    await world.api('POST', '/connect-sessions', body, key),
  ]

  expect(answers[1]?.body).toEqual(answers[0]?.body)
  expect(answers[1]?.headers.get('idempotency-replayed')).toBe('true')
  const { rows } = await world.sql.query(`select 1 from connect_sessions where end_user ->> 'id' = 'once'`)
  expect(rows).toHaveLength(1)
})

test('rejects an Idempotency-Key for another body, and keys are separate per caller', async () => {
  const session = (id: string) => ({
    tenantId: 'globex',
    integrationId: 'provider',
    endUser: { id },
    returnUrl: 'https://globex.example/return',
    completionChallenge: 'c'.repeat(43),
  })
  const key = { 'Idempotency-Key': 'shared' }
  await world.api('POST', '/connect-sessions', session('first'), key)

  const reused = await world.api('POST', '/connect-sessions', session('second'), key)
  const otherCaller = await world.apiAs(otherTenantKey)('POST', '/connect-sessions', session('second'), key)

  expect(reused.body).toMatchObject({ status: 422, code: 'idempotency_key_reused' })
  expect(otherCaller.status).toBe(201)
})

test('bad bodies and methods get a problem document', async () => {
  const send = async (body: string, type: string, more: Record<string, string> = {}) => {
    const asked = request(world.app).post('/api/v1/connect-sessions')
    const answer = await asked.set({ Authorization: `Bearer ${world.key}`, 'Content-Type': type, ...more }).send(body)
    await world.documented(answerBy('post', '/connect-sessions', answer))
    return answer
  }

  expect((await send('{', 'application/json')).body).toMatchObject({ status: 400, code: 'body_unreadable' })
  expect((await send('a=1', 'text/plain')).body).toMatchObject({ status: 415, code: 'content_type_unsupported' })
  expect((await send(JSON.stringify({ a: 'x'.repeat(40_000) }), 'application/json')).body).toMatchObject({
    status: 413,
  })
  // A compressed body is rejected before decompression, so it cannot break off.
  const compressed = await send('not gzip at all', 'application/json', { 'Content-Encoding': 'gzip' })
  expect(compressed.body).toMatchObject({ status: 415, code: 'content_type_unsupported' })
  const patch = await request(world.app).patch('/api/v1/tenants').set('Authorization', `Bearer ${world.key}`)
  expect(patch.body).toMatchObject({ status: 405, code: 'method_not_allowed' })
  expect(patch.headers.allow).toBe('GET, POST')
})

test('a revoked key stops working within seconds', async () => {
  const actor = { kind: 'operator' } as const
  const { id, key } = await world.world.apiKeys.create({ name: 'short', tenant: undefined }, actor)

  await world.world.apiKeys.revoke(id, actor)

  expect((await world.apiAs(key.reveal())('GET', '/tenants')).status).toBe(401)
})

const lists = ['/tenants', '/links', '/connections', '/campaigns', '/tenants/acme/webhook-deliveries', '/audit']

test.each(lists)('%s rejects cursors of other lists', async (path) => {
  for (const cursor of ['', '%20', 'Zzz', 'ses_06gxytktsx4pfczwby539m3g5', '%00', 'x'.repeat(101), 'a&cursor=b']) {
    const { status, body } = await world.api('GET', `${path}?cursor=${cursor}`)

    expect([cursor, status, body.errors]).toMatchObject([cursor, 422, [{ pointer: '/cursor' }]])
  }
})

test.each(['0', '201', '1.5', '', 'many', '-1'])('rejects a limit of %j with the valid range', async (limit) => {
  const { body } = await world.api('GET', `/links?limit=${limit}`)

  expect(body).toMatchObject({
    status: 422,
    errors: [{ pointer: '/limit', detail: expect.stringMatching(/1 to 200/) }],
  })
})
