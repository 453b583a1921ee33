import { inspect } from 'node:util'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { describe, expect, test } from 'vitest'
import { ApiError, ArgumentError, createCauseway, UnreachableError } from '../../../packages/client/src/client.ts'
import { retryAfterMs } from '../../../packages/client/src/retries.ts'
import { clientFor, problem, slowClient } from './recorded-client.ts'

const busy = () => problem(503, 'store_unavailable', { 'Retry-After': '0' })

describe('a request', () => {
  test('contains the key and omits undefined fields', async () => {
    const { causeway, sent } = clientFor(Response.json({ data: [] }))

    await causeway.links.list({ status: 'pending', tenantId: undefined }).toArray()

    expect(sent[0]?.url.href).toBe('https://connect.example.com/api/v1/links?status=pending')
    expect(sent[0]?.headers.get('authorization')).toBe('Bearer cwk_secret')
  })

  test('for a connection passes the locale', async () => {
    const { causeway, sent } = clientFor(Response.json({}))

    await causeway.connections.get('con_1', { locale: 'de', timeoutMs: 1_000 })
    await causeway.connections.get('con_1')

    expect(sent.map(({ url }) => url.search)).toEqual(['?locale=de', ''])
  })

  test('encodes IDs in the path', async () => {
    const { causeway, sent } = clientFor(Response.json({}))

    await causeway.links.get('../tenants?x')

    expect(sent[0]?.url.pathname).toBe('/api/v1/links/..%2Ftenants%3Fx')
    await expect(causeway.links.get('')).rejects.toThrow('linkId must not be empty')
  })

  test('is never sent over plain http to another machine', () => {
    const open = (url: string) => () => createCauseway({ url, apiKey: 'k' })

    expect(open('http://connect.example.com')).toThrow('must begin with https:// (http:// works for localhost only)')
    expect(open('http://127.0.0.1:3000')).not.toThrow()
  })

  test.each([
    [undefined, 'needs the url of your deployment and an apiKey'],
    [{ url: undefined, apiKey: 'k' }, 'url is missing: give createCauseway the address of your server'],
    [{ url: 'localhost:3000', apiKey: 'k' }, 'Write "http://localhost:3000".'],
    [{ url: '127.0.0.1:3000', apiKey: 'k' }, 'Write "http://127.0.0.1:3000".'],
    [{ url: 'connect.example.com', apiKey: 'k' }, 'Write "https://connect.example.com".'],
    [{ url: 'ftp://connect.example.com', apiKey: 'k' }, 'url must begin with https://'],
    [{ url: 'https://', apiKey: 'k' }, 'url must begin with https://'],
    [{ url: 'https://connect.example.com', apiKey: undefined }, 'apiKey is missing'],
  ])('is rejected without settings: %j', (settings, words) => {
    const open = () => createCauseway(settings as unknown as Parameters<typeof createCauseway>[0])

    expect(open).toThrow(ArgumentError)
    expect(open).toThrow(words)
  })

  test('is rejected for an unknown operation or an empty ID', async () => {
    const { causeway, sent } = clientFor(Response.json({}))
    const send = causeway.send as unknown as (...given: unknown[]) => Promise<unknown>

    await expect(send('getLinkz', {})).rejects.toThrow(ArgumentError)
    await expect(send('toString', {})).rejects.toThrow('There is no operation toString')
    await expect(send('getLink')).rejects.toThrow('linkId must not be empty')
    expect(sent).toEqual([])
  })

  test('rejects an undefined endUserId, which would list all users', async () => {
    const { causeway, sent } = clientFor(Response.json({ data: [] }))

    expect(() => causeway.connections.list({ tenantId: 'acme', endUserId: undefined })).toThrow(
      'endUserId is undefined',
    )
    expect(sent).toEqual([])
  })

  test('does not show the key in a printed client or error', async () => {
    const { causeway } = clientFor(problem(422, 'input_invalid'))

    const error = await causeway.links.get('x').catch((caught: unknown) => caught)

    expect(inspect(causeway, { depth: 9, showHidden: true }) + inspect(error, { depth: 9 })).not.toContain('cwk_secret')
  })
})

describe('an error message', () => {
  const messageOf = async (given: object) => {
    const { causeway } = clientFor(Response.json({ code: 'input_invalid', ...given }, { status: 422 }))
    return causeway.links.get('x').catch((caught: Error) => caught.message)
  }
  const errors = [
    { pointer: '/endUser', detail: 'is required' },
    { pointer: '/inputs/site', detail: 'must be a URL' },
    { pointer: '/page', parameter: 'page', detail: 'is an unknown parameter. Did you mean "cursor"?' },
    { pointer: '/integrationId', detail: 'No integration "gmial".' },
  ]

  test('contains each error once', async () => {
    const others =
      'inputs.site must be a URL. page is an unknown parameter. Did you mean "cursor"? No integration "gmial".'

    expect(await messageOf({ detail: 'endUser is required.', errors: errors.slice(0, 1) })).toBe(
      'input_invalid: endUser is required.',
    )
    expect(await messageOf({ detail: 'endUser is required (and 3 more; see `errors`).', errors })).toBe(
      `input_invalid: endUser is required (and 3 more; see \`errors\`). ${others}`,
    )
    expect(await messageOf({ detail: 'The request is not valid.', errors })).toBe(
      `input_invalid: The request is not valid. endUser is required. ${others}`,
    )
  })

  test('ends with the page that explains the problem', async () => {
    const docs = 'https://connect.example.com/docs/reference/errors#input_invalid'

    expect(await messageOf({ detail: 'Why.', docs })).toBe(`input_invalid: Why. See ${docs}`)
  })
})

describe('a failing request', () => {
  test('is retried with the same idempotency key', async () => {
    const { causeway, sent } = clientFor(busy, new TypeError('fetch failed'), busy, Response.json({ id: 'ses_1' }))

    await causeway.connectSessions.cancel('ses_1')

    const keys = sent.map(({ headers }) => headers.get('idempotency-key'))
    expect(keys).toHaveLength(4)
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f-]{36}$/)
  })

  test('uses the idempotency key of the caller', async () => {
    const { causeway, sent } = clientFor(Response.json({}))

    await causeway.connectSessions.cancel('ses_1', {}, { idempotencyKey: 'mine' })

    expect(sent[0]?.headers.get('idempotency-key')).toBe('mine')
  })

  test('is retried up to maxAttempts', async () => {
    const { causeway, sent } = clientFor(busy)

    await expect(causeway.links.get('x')).rejects.toMatchObject({ code: 'store_unavailable', whoseMove: 'operator' })
    expect(sent).toHaveLength(4)
  })

  test.each([
    ['a client error', 422, 'input_invalid'],
    ['an unknown resource', 404, 'not_found'],
    ['an invalid key', 401, 'credential_invalid'],
  ])('is not retried for %s', async (_what, status, code) => {
    const { causeway, sent } = clientFor(problem(status, code))

    const error = await causeway.links.get('x').catch((caught: unknown) => caught)

    expect(sent).toHaveLength(1)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status, code, whoseMove: 'tenant', requestId: 'req_1', message: `${code}: Why.` })
  })

  test('lists the invalid parts of the request', async () => {
    const errors = [
      { pointer: '/endUser/id', detail: 'is required' },
      { pointer: '/limit', parameter: 'limit', detail: 'must be a number' },
      { pointer: '/Idempotency-Key', header: 'Idempotency-Key', detail: 'must not be empty' },
    ]
    const { causeway } = clientFor(Response.json({ code: 'input_invalid', detail: 'Why.', errors }, { status: 422 }))

    await expect(causeway.links.get('x')).rejects.toMatchObject({
      errors,
      message: 'input_invalid: Why. endUser.id is required. limit must be a number. Idempotency-Key must not be empty.',
    })
  })

  test('is not retried if it is a PATCH', async () => {
    const { causeway, sent } = clientFor(new TypeError('fetch failed'))

    await expect(causeway.tenants.update('acme', { displayName: 'A' })).rejects.toBeInstanceOf(UnreachableError)
    expect(sent).toHaveLength(1)
  })

  test('of connect is retried for at most three seconds', async () => {
    const limited = problem(429, 'rate_limited', { 'Retry-After': '4' })
    const { causeway, sent } = clientFor(limited)
    const request = { tenantId: 'acme', endUser: { id: 'u' }, returnUrl: 'https://app.acme.example/connected' }
    const query = { connect_session_id: 'ses_1', completion_code: 'c' }

    const refused = { code: 'rate_limited', retryAfterSeconds: 4 }
    await expect(causeway.connect.begin({ ...request, integrationId: 'gmail' })).rejects.toMatchObject(refused)
    await expect(causeway.connect.beginRelink('con_1', { ...request, reason: 'r' })).rejects.toMatchObject(refused)
    await expect(causeway.connect.finish(query, 'cws1.ses_1.v')).rejects.toMatchObject(refused)
    expect(sent).toHaveLength(3)
  })

  test('uses maxWaitMs of the call before that of the client', async () => {
    const { causeway, sent } = clientFor(problem(429, 'rate_limited', { 'Retry-After': '1' }))

    const reading = causeway.links.get('x', { retries: { maxWaitMs: 1_500 } })

    await expect(reading).rejects.toMatchObject({ retryAfterSeconds: 1 })
    expect(sent).toHaveLength(2)
  })

  test('uses timeoutMs of the call before that of the client', async () => {
    const causeway = slowClient(5_000)
    const options = { timeoutMs: 50, retries: { maxAttempts: 1 } }

    await expect(causeway.links.get('x', options)).rejects.toMatchObject({ cause: { name: 'TimeoutError' } })
  })

  test('of links.wait may exceed the remaining wait time', async () => {
    const causeway = slowClient(100)

    expect(await causeway.links.wait('x', { timeoutMs: 20 })).toMatchObject({ status: 'linked' })
  })

  test('fails immediately if Retry-After exceeds maxWaitMs', async () => {
    const { causeway, sent } = clientFor(problem(429, 'rate_limited', { 'Retry-After': '3600' }))

    await expect(causeway.links.get('x')).rejects.toMatchObject({ code: 'rate_limited', retryAfterSeconds: 3_600 })
    expect(sent).toHaveLength(1)
  })

  test('ends when its signal is aborted', async () => {
    const { causeway } = clientFor(problem(503, 'store_unavailable', { 'Retry-After': '30' }))
    const giveUp = new AbortController()
    const reading = causeway.links.get('x', { signal: giveUp.signal })

    giveUp.abort(new Error('the user left'))

    await expect(reading).rejects.toThrow()
  })

  test('times out even after a garbage collection', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const collecting = setInterval(collect, 10)
    const causeway = createCauseway({
      url: 'https://connect.example.com/',
      apiKey: 'k',
      timeoutMs: 100,
      retries: { maxAttempts: 1 },
      fetch: (_address, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener('abort', () => reject(init.signal?.reason))
        }),
    })

    const error = await causeway.links.get('x').catch((caught: unknown) => caught)
    clearInterval(collecting)

    expect(error).toMatchObject({ code: 'unreachable', cause: { name: 'TimeoutError' } })
  })

  test('is retried if the response is truncated', async () => {
    const broken = () =>
      new Response(
        new ReadableStream({
          start(controller) {
            controller.enqueue(new TextEncoder().encode('{"id":'))
            controller.error(new TypeError('terminated'))
          },
        }),
      )
    const { causeway, sent } = clientFor(broken, Response.json({ id: 'lnk_1' }))

    expect(await causeway.links.get('lnk_1')).toEqual({ id: 'lnk_1' })
    expect(sent).toHaveLength(2)
  })
})

test.each([
  ['3', 3_000],
  ['0', 0],
  ['Mon, 16 Nov 2026 10:00:05 GMT', 5_000],
  ['Mon, 16 Nov 2026 09:00:00 GMT', 0],
  ['soon', undefined],
  [null, undefined],
])('Retry-After %s is %s ms', (header, expected) => {
  expect(retryAfterMs(header, Date.parse('2026-11-16T10:00:00Z'))).toBe(expected)
})

test('a list fetches no more pages than are read', async () => {
  const pages = [
    Response.json({ data: [{ id: 'a' }, { id: 'b' }], nextCursor: 'b' }),
    Response.json({ data: [{ id: 'c' }], nextCursor: 'c' }),
    Response.json({ data: [] }),
  ]
  const { causeway, sent } = clientFor(...pages)
  const list = causeway.links.list({ limit: 2 })

  const read: string[] = []
  for await (const { id } of list) {
    read.push(id)
    if (id === 'c') break
  }

  expect(read).toEqual(['a', 'b', 'c'])
  expect(sent.map(({ url }) => url.search)).toEqual(['?limit=2', '?limit=2&cursor=b'])
})
