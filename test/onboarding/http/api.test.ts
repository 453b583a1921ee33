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

test('every route refuses a request without a key, and says how to send one', async () => {
  for (const [index, { method, path }] of routes().entries()) {
    // Each from another visitor: whoever sends many wrong keys is slowed down.
    const asked = request(world.app)[method](`/api/v1${path.replaceAll(/\{\w+\}/g, 'x')}`)
    const answer = await asked.set('X-Forwarded-For', `203.0.113.${index}`)

    expect([method, path, answer.status]).toEqual([method, path, 401])
    expect(answer.headers['www-authenticate']).toBe('Bearer')
    expect(JSON.parse(answer.text)).toMatchObject({ code: 'credential_invalid' })
    await world.documented(answerBy(method, path.replaceAll(/\{\w+\}/g, 'x'), answer))
  }
})

test("somebody else's session, link and connection read exactly like missing ones", async () => {
  const minted = await world.mint()
  const { query } = await world.consent(minted)
  const { body: link } = await world.complete(minted, query)
  const other = world.apiAs(otherTenantKey)
  const proof = { completionCode: query.completion_code, completionVerifier: minted.verifier }
  const asks: Array<[string, string, string, unknown?]> = [
    ['GET', `/connect-sessions/${minted.id}`, '/connect-sessions/ses_none'],
    ['POST', `/connect-sessions/${minted.id}/cancel`, '/connect-sessions/ses_none/cancel'],
    ['POST', `/connect-sessions/${minted.id}/complete`, '/connect-sessions/ses_none/complete', proof],
    ['GET', `/links/${link.id}`, '/links/lnk_none'],
    ['GET', `/connections/${link.connection.id}`, '/connections/con_none'],
    ['GET', '/tenants/acme', '/tenants/none'],
  ]

  for (const [method, theirs, missing, body] of asks) {
    const [foreign, absent] = [await other(method, theirs, body), await other(method, missing, body)]
    expect(foreign.status).toBe(404)
    expect({ ...foreign.body, instance: '' }).toEqual({ ...absent.body, instance: '' })
  }
  expect((await other('GET', '/links?tenantId=acme')).body.data).toEqual([])
  expect((await other('GET', '/connections')).body.data).toEqual([])
})

test('an unknown member is refused by its pointer, and nothing is minted', async () => {
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

test('O11: a member that is missing is said to be required', async () => {
  const answer = await world.api('POST', '/connect-sessions', { tenantId: 'acme' })

  expect(answer.body.errors).toContainEqual({ pointer: '/endUser', detail: 'is required' })
  expect(JSON.stringify(answer.body)).not.toContain('undefined')
})

test('a pointer to an unknown member is one that a program can follow, whatever the member is called', async () => {
  const answer = await world.api('POST', '/connect-sessions', { 'a/b~c': 1, endUser: { 'd~/e': 1 } })

  const unknown = answer.body.errors.filter(({ detail }: { detail: string }) =>
    detail.endsWith('there is no such member'),
  )
  expect(unknown.map(({ pointer }: { pointer: string }) => pointer).sort()).toEqual(['/a~1b~0c', '/endUser/d~0~1e'])
})

test.each(['bearer', 'BEARER', 'Bearer '])('a key is taken behind the scheme %j', async (scheme) => {
  const answer = await request(world.app).get('/api/v1/tenants').set('Authorization', `${scheme} ${world.key}`)

  expect(answer.status).toBe(200)
})

test('without a completion challenge nothing is minted while completion is required', async () => {
  const body = { tenantId: 'acme', integrationId: 'provider', endUser: { id: 'u' }, returnUrl }

  const answer = await world.api('POST', '/connect-sessions', body)

  expect(answer.body).toMatchObject({ code: 'input_invalid', errors: [{ pointer: '/completionChallenge' }] })
})

test('the same Idempotency-Key mints once and gives the same answer again', async () => {
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

test('an Idempotency-Key for another body is refused, and keys of two callers do not meet', async () => {
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

test('twenty parallel requests with one Idempotency-Key do the work once', async () => {
  const body = {
    tenantId: 'acme',
    integrationId: 'provider',
    endUser: { id: 'crowd' },
    returnUrl,
    completionChallenge: 'c'.repeat(43),
  }

  const answers = await Promise.all(
    Array.from({ length: 20 }, () => world.api('POST', '/connect-sessions', body, { 'Idempotency-Key': 'crowd' })),
  )

  const { rows } = await world.sql.query(`select 1 from connect_sessions where end_user ->> 'id' = 'crowd'`)
  expect(rows).toHaveLength(1)
  expect(answers.every(({ status }) => status === 201 || status === 409)).toBe(true)
})

const onceFor = (id: string) => ({
  tenantId: 'acme',
  integrationId: 'provider',
  endUser: { id },
  returnUrl,
  completionChallenge: 'c'.repeat(43),
})

test('an Idempotency-Key whose first request died is busy for a minute, and then good again', async () => {
  const key = { 'Idempotency-Key': 'died' }
  await world.api('POST', '/connect-sessions', onceFor('died'), key)
  const { rows } = await world.sql.query('select id from idempotency_keys order by begun_at desc limit 1')
  const died = (seconds: number) =>
    world.sql.query(
      'update idempotency_keys set answer = null, begun_at = now() - make_interval(secs => $1) where id = $2',
      [seconds, rows[0].id],
    )

  await died(45)
  const soon = await world.api('POST', '/connect-sessions', onceFor('died'), key)
  await died(61)
  const later = await world.api('POST', '/connect-sessions', onceFor('died'), key)

  expect(soon.body).toMatchObject({ status: 409, code: 'idempotency_key_busy' })
  expect(later.status).toBe(201)
})

test('an answer that cannot be kept is given all the same, because the work is done', async () => {
  await world.sql.query(`create function refuse_answer() returns trigger language plpgsql as
    $$ begin raise insufficient_privilege; end $$`)
  await world.sql.query(
    'create trigger refuse_answer before update on idempotency_keys for each row execute function refuse_answer()',
  )

  const answer = await world.api('POST', '/connect-sessions', onceFor('unkept'), { 'Idempotency-Key': 'unkept' })
  await world.sql.query('drop trigger refuse_answer on idempotency_keys')

  expect(answer.status).toBe(201)
  const { rows } = await world.sql.query(`select 1 from connect_sessions where end_user ->> 'id' = 'unkept'`)
  expect(rows).toHaveLength(1)
})

test('bad bodies and methods get a problem that names the fault', async () => {
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
  // What is compressed is not opened, so a stream that breaks off is nothing we could stumble over.
  const compressed = await send('not gzip at all', 'application/json', { 'Content-Encoding': 'gzip' })
  expect(compressed.body).toMatchObject({ status: 415, code: 'content_type_unsupported' })
  const patch = await request(world.app).patch('/api/v1/tenants').set('Authorization', `Bearer ${world.key}`)
  expect(patch.body).toMatchObject({ status: 405, code: 'method_not_allowed' })
  expect(patch.headers.allow).toBe('GET, POST')
})

test("a tenant's own OAuth client is used before the deployment's", async () => {
  const client = { clientId: 'own-client', clientSecret: 'own-secret' }
  await world.api('PUT', '/tenants/globex/oauth-clients/provider', client)
  const returnTo = { tenantId: 'globex', returnUrl: 'https://globex.example/return' }
  const minted = await world.mint(returnTo)

  const page = await request(world.app).post(new URL(minted.url).pathname).set('Origin', world.url)

  expect(page.headers.refresh).toContain('client_id=own-client')
  await world.api('DELETE', '/tenants/globex/oauth-clients/provider')
})

test('a revoked key stops working within seconds', async () => {
  const actor = { kind: 'operator' } as const
  const { id, key } = await world.world.apiKeys.create({ name: 'short', tenant: undefined }, actor)

  await world.world.apiKeys.revoke(id, actor)

  expect((await world.apiAs(key.reveal())('GET', '/tenants')).status).toBe(401)
})

test('lists are walked by cursor, newest first, without gaps or repeats', async () => {
  for (let index = 0; index < 5; index++) await world.consent(await world.mint())

  const seen: string[] = []
  for (let cursor: string | undefined = ''; cursor !== undefined; ) {
    const page = await world.api('GET', `/links?tenantId=acme&limit=2${cursor && `&cursor=${cursor}`}`)
    seen.push(...page.body.data.map(({ id }: { id: string }) => id))
    cursor = page.body.nextCursor
  }

  const { rows } = await world.sql.query(`select id from links where tenant = 'acme' order by id desc`)
  expect(seen).toEqual(rows.map(({ id }) => id))
})

const lists = ['/tenants', '/links', '/connections', '/campaigns', '/tenants/acme/webhook-deliveries', '/audit']

test.each(lists)('%s takes a cursor of its own list and nothing else for a place in it', async (path) => {
  for (const cursor of ['', '%20', 'Zzz', 'ses_06gxytktsx4pfczwby539m3g5', '%00', 'x'.repeat(101), 'a&cursor=b']) {
    const { status, body } = await world.api('GET', `${path}?cursor=${cursor}`)

    expect([cursor, status, body.errors]).toMatchObject([cursor, 422, [{ pointer: '/cursor' }]])
  }
})

test.each(['0', '201', '1.5', '', 'many', '-1'])('a limit of %j is refused in words that help', async (limit) => {
  const { body } = await world.api('GET', `/links?limit=${limit}`)

  expect(body).toMatchObject({
    status: 422,
    errors: [{ pointer: '/limit', detail: expect.stringMatching(/1 to 200/) }],
  })
})

test('whoever guesses keys is slowed down, and a good key still works', async () => {
  const guess = () => request(world.app).get('/api/v1/tenants').set('X-Forwarded-For', '198.51.100.7')
  const statuses = []
  for (let tries = 0; tries < 22; tries++) {
    const answer = await guess()
    await world.documented(answerBy('get', '/tenants', answer))
    statuses.push(answer.status)
  }

  expect(statuses).toEqual([...Array(20).fill(401), 429, 429])
  expect((await guess().set('Authorization', `Bearer ${world.key}`)).status).toBe(200)
})
