// Case 59 of the attack catalogue: input that is shaped to load the server, and callers that are too many.
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { GatewayError } from '../../src/contract/error-bodies.ts'
import { bodyOf, exchange, statusOf, unreadable } from '../support/http/raw-http.ts'
import { createResource, type PlatformWorld, platformWorld } from '../support/worlds/platform-world.ts'

// No trusted proxy on this machine, so X-Forwarded-For is ignored.
const world = await platformWorld({
  env: {
    RATE_FAILED_PER_MINUTE: '20',
    RATE_KEY_PER_MINUTE: '200',
    RATE_PREVIEW_PER_MINUTE: '20',
    TRUST_PROXY: '192.0.2.1',
  },
})
await world.addServiceAccount('robot', 'admin', 'robot-secret')
const address = await world.listen()

afterAll(() => world.close())

describe('an unreadable request', () => {
  test.each(unreadable)('due to %s returns %i in the format of the control plane', async (_, status, text) => {
    const answer = await exchange(address, text('/v0/drives'))

    expect(statusOf(answer)).toBe(status)
    expect(JSON.parse(bodyOf(answer))).toMatchObject({ code: status, error: expect.any(String) })
  })

  const addressed = unreadable.filter(([what]) => what !== 'no request at all')

  test.each(addressed)('due to %s at a gateway URL returns %i in the gateway’s format', async (_, status, text) => {
    const answer = await exchange(address, text('/acme/agents/a'))

    const { error } = GatewayError.parse(JSON.parse(bodyOf(answer)))
    expect([statusOf(answer), error]).toMatchObject([status, { code: 'BAD_REQUEST', status, retryable: false }])
    expect(answer).toMatch(/x-service-source: platform\r\n/i)
    expect(answer).toMatch(/x-service-error-code: BAD_REQUEST\r\n/i)
  })

  test.each([
    ['/v0/drives/%', 400],
    ['/v0/drives/%00', 400],
    ['/v0/drives/..%2f..%2fsecrets', 404],
    [`/v0/drives/${'a'.repeat(8_000)}`, 404],
    ['/v0//drives', 404],
    ['/v0/drives?limit=1&limit=2', 400],
    ['/v0/drives?workspace=a&workspace=b', 400],
    ['/v0/drives?q[a]=b', 200],
  ])('with the URL %s returns %i', async (path, status) => {
    expect((await world.as(world.admin).get(path)).status).toBe(status)
  })
})

describe('too many requests', () => {
  const drives = (key: string, headers: Record<string, string> = {}) =>
    request(world.app).get('/v0/drives').auth(key, { type: 'bearer' }).set(headers)

  const limitWords = (limit: string, seconds: number, answer: request.Response | undefined) =>
    `Too many requests: at most ${limit} are taken within ${seconds} seconds. Try again in ${answer?.headers['retry-after']} s.`

  test('of one key return 429 with Retry-After, and another key of the same user is not limited', async () => {
    const [busy, calm] = [
      await world.enter('busy', 'busy@acme.example'),
      await world.enter('busy', 'busy@acme.example'),
    ]
    const burst = async () => (await Promise.all(Array.from({ length: 50 }, () => drives(busy.key)))).at(-1)

    let last: request.Response | undefined
    for (let round = 0; round < 13 && last?.status !== 429; round++) last = await burst()

    expect([last?.status, last?.body.error]).toEqual([429, 'too_many_requests'])
    expect(last?.body.message).toBe(limitWords('200 requests of one credential', 60, last))
    expect(Number(last?.headers['retry-after'])).toBeGreaterThan(0)
    expect(Number(last?.headers['retry-after'])).toBeLessThanOrEqual(60)
    expect((await drives(calm.key)).status).toBe(200)
  })

  test('with wrong credentials return 429, whatever their forwarding headers', async () => {
    const forged = (at: number) => ({
      'X-Forwarded-For': `198.51.100.${at}, 2001:db8::${at}`,
      Forwarded: `for=192.0.2.${at}`,
    })
    const guess = (at: number) => drives(`cwp_${'a'.repeat(11)}_${String(at).padStart(43, 'a')}`, forged(at))

    const first = await guess(0)
    let last = first
    // The minute may change in between and reset the count, so more requests follow.
    for (let at = 1; at < 45 && last.status !== 429; at++) last = await guess(at)

    expect(first.status).toBe(401)
    expect([last.status, last.body.error]).toEqual([429, 'too_many_requests'])
    expect(last.body.message).toBe(limitWords('20 wrong credentials from one address', 60, last))
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(0)
    // A good credential from the same address still passes.
    expect((await drives(world.admin.key, { 'X-Service-Workspace': 'acme' })).status).toBe(200)
  })

  test('at the gateway return 429 in its format', async () => {
    const guess = () => request(world.app).post('/acme/agents/a').auth('nonsense', { type: 'bearer' })

    let last = await guess()
    for (let at = 0; at < 45 && last.status !== 429; at++) last = await guess()

    expect(last.body.error).toMatchObject({ code: 'TOO_MANY_REQUESTS', status: 429, retryable: true })
    expect(last.body.error.message).toBe(limitWords('20 wrong credentials from one address', 60, last))
    expect(last.headers['retry-after']).toBeDefined()
  })

  test('to a preview return 429, for all visitors together, and other previews are not limited', async () => {
    const api = world.as(world.admin)
    await createResource(api, 'sandboxes', 'box')
    const previewUrl = async (name: string) => {
      const sent = { metadata: { name }, spec: { port: 443, public: true } }
      const { body } = await api.post('/v0/sandboxes/box/previews').send(sent).expect(200)
      return `${new URL(body.spec.url).pathname}/process`
    }
    const [busy, calm] = [await previewUrl('busy'), await previewUrl('calm')]

    let last = await request(world.app).get(busy)
    for (let at = 0; at < 45 && last.status !== 429; at++) last = await request(world.app).get(busy)

    expect(last.body.error.message).toBe(limitWords('20 requests to one preview', 60, last))
    expect(last.headers['retry-after']).toBeDefined()
    expect((await request(world.app).get(calm)).status).toBe(200)
  })

  test('to previews that do not exist return 429 for their visitor', async () => {
    const guess = (at: number) =>
      request(world.app).get(`/acme/previews/00000000-0000-0000-0000-${String(at).padStart(12, '0')}/`)

    let last = await guess(0)
    for (let at = 1; at < 45 && last.status !== 429; at++) last = await guess(at)

    expect(last.body.error.message).toBe(limitWords('20 wrong credentials from one address', 60, last))
  })

  test('with wrong secrets at the token endpoint return 429 with an OAuth error', async () => {
    const ask = () =>
      request(world.app)
        .post('/oauth/token')
        .type('form')
        .send({ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'guess' })

    let last = await ask()
    for (let at = 0; at < 45 && last.status !== 429; at++) last = await ask()

    expect([last.status, last.body.error]).toEqual([429, 'temporarily_unavailable'])
    expect(last.body.error_description).toBe(limitWords('20 wrong credentials from one address', 60, last))
    expect(last.headers['retry-after']).toBeDefined()
  })

  test('to sign in return 429 before a password is hashed, for any account', async () => {
    const uid = 'some-interaction'
    const attempt = (at: number) =>
      request(world.app)
        .post(`/oauth/interaction/${uid}/sign-in`)
        .set('Sec-Fetch-Site', 'same-origin')
        .type('form')
        .send({ email: `user-${at}@acme.example`, password: 'guess' })

    const answers = await Promise.all(Array.from({ length: 60 }, (_, at) => attempt(at)))

    const limited = answers.filter(({ status }) => status === 429)
    expect(limited.length).toBeGreaterThanOrEqual(20)
    expect(limited.every(({ headers }) => headers['retry-after'] !== undefined)).toBe(true)
    expect(limited[0]?.text).toContain(limitWords('20 sign-in attempts from one address', 900, limited[0]))
  })
})

describe('a visitor behind a trusted proxy', () => {
  let proxied: PlatformWorld
  const guesses = async (addressOf: (at: number) => string) => {
    const statuses: number[] = []
    for (let at = 0; at < 9; at++) {
      const guess = request(proxied.app).get('/v0/drives').auth('nonsense', { type: 'bearer' })
      statuses.push((await guess.set('X-Forwarded-For', addressOf(at))).status)
    }
    return statuses
  }

  beforeAll(async () => {
    proxied = await platformWorld({ env: { RATE_FAILED_PER_MINUTE: '2' } })
  })
  afterAll(() => proxied.close())

  // In nine requests the minute may turn once, which lets two more through.
  test.each<[string, (at: number) => string]>([
    ['that changes addresses within a /64', (at) => `2001:db8:7:7::${at}`],
    ['that writes IPv4 as IPv6', (at) => (at % 2 ? '::ffff:198.51.100.9' : '198.51.100.9')],
    ['that prepends more addresses', (at) => `203.0.113.${at}, 198.51.100.10`],
  ])('%s counts as one', async (_, addressOf) => {
    expect((await guesses(addressOf)).filter((status) => status === 429).length).toBeGreaterThanOrEqual(5)
  })

  test('does not count as the next one', async () => {
    expect(await guesses((at) => `198.51.100.${at + 20}`)).toEqual(Array(9).fill(401))
  })
})
