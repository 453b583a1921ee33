// The HTTP relay of a connection, with the client that tenants use.
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ApiError, createCauseway } from '../../../packages/client/src/client.ts'
import { bodyDeadlines } from '../../../src/onboarding/connections/http/relay.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
let connection: string
let causeway: ReturnType<typeof createCauseway>
let received: Array<{ method: string; url: string; headers: IncomingMessage['headers']; body: string }>

const source = { 'X-Service-Source': 'workload' }

beforeAll(async () => {
  world = await startRelinking()
  connection = await world.link()
  causeway = createCauseway({ url: world.url, apiKey: world.key })
})
beforeEach(() => {
  received = []
  respond((_req, res) => res.writeHead(200, { ...source, 'Content-Type': 'application/json' }).end('{"ok":true}'))
})
afterAll(() => world.close())

function respond(answer: (req: IncomingMessage, res: ServerResponse, body: string) => void) {
  world.platform.relay = async (req, res) => {
    let body = ''
    for await (const chunk of req) body += chunk
    received.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body })
    answer(req, res, body)
  }
}

const refuse = (status: number, code: string, more: object = {}) =>
  respond((_req, res) => {
    const error = {
      code,
      message: `Why ${code}.`,
      status,
      retryable: false,
      timestamp: new Date().toISOString(),
      ...more,
    }
    res.writeHead(status, { 'X-Service-Source': 'platform', 'Retry-After': '7' }).end(JSON.stringify({ error }))
  })

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: ApiError) => error,
  )

test('three lines lead from a linked account to a response of the app', async () => {
  const response = await causeway.connections.fetch(connection, '/v1/files?q=a%20b')

  expect(await response.json()).toEqual({ ok: true })
  const { functionName } = await world.connection(connection)
  expect(received).toMatchObject([{ method: 'GET', url: `/acme/functions/${functionName}/relay/-/v1/files?q=a%20b` }])
})

test('an absolute URL names its host; method, headers and body are sent, and the key of the tenant is not', async () => {
  await causeway.connections.fetch(connection, 'https://api.example/v1/files', {
    method: 'PUT',
    headers: { 'Content-Type': 'text/plain', 'If-Match': '"1"' },
    body: 'content',
  })

  expect(received).toMatchObject([
    {
      method: 'PUT',
      body: 'content',
      headers: { 'content-type': 'text/plain', 'if-match': '"1"', 'content-length': '7' },
    },
  ])
  expect(received[0]?.url).toMatch(/\/relay\/api\.example\/v1\/files$/)
  expect(JSON.stringify(received)).not.toContain(world.key)
})

test('responses of the app are returned with any status, and stream', async () => {
  const text = 'x'.repeat(3_000_000)
  respond((_req, res) => res.writeHead(404, { ...source, 'X-RateLimit-Remaining': '3' }).end(text))

  const response = await causeway.connections.fetch(connection, '/none')

  expect([response.status, response.headers.get('x-ratelimit-remaining')]).toEqual([404, '3'])
  expect(await response.text()).toBe(text)
})

test('a stream is sent without being collected first', async () => {
  const body = new Blob(['a', 'b']).stream()

  await causeway.connections.fetch(connection, '/upload', { method: 'POST', body })

  expect(received).toMatchObject([{ body: 'ab', headers: { 'transfer-encoding': 'chunked' } }])
})

test('a body is sent in its own charset, and may take as long as at the platform', async () => {
  await causeway.connections.fetch(connection, '/x', {
    method: 'POST',
    headers: { 'Content-Type': 'text/plain; charset=iso-8859-1' },
    body: Buffer.from('caf\xe9', 'latin1'),
  })

  expect(received).toMatchObject([{ headers: { 'content-type': 'text/plain; charset=iso-8859-1' } }])
  expect(bodyDeadlines.bodyMs(`/api/v1/connections/${connection}/relay/-/x`)).toBe(900_000)
  expect(bodyDeadlines.bodyMs('/api/v1/links')).toBe(30_000)
})

test('hop-by-hop headers, as of curl with a large body, are not passed on', async () => {
  const { hostname, port } = new URL(world.url)
  const response = await new Promise<IncomingMessage>((resolve) => {
    const headers = {
      Authorization: `Bearer ${world.key}`,
      Expect: '100-continue',
      'Content-Length': 4,
      Connection: 'keep-alive, X-Own',
      'X-Own': 'dropped',
      'Keep-Alive': 'timeout=5',
      'X-Service-Workspace': 'elsewhere',
    }
    const path = `/api/v1/connections/${connection}/relay/-/upload`
    const sending = request({ hostname, port, path, method: 'PUT', headers }, resolve)
    sending.on('continue', () => sending.end('body'))
    sending.flushHeaders()
  })
  response.resume()

  expect(response.statusCode).toBe(200)
  expect(received).toMatchObject([{ body: 'body' }])
  const names = Object.keys(received[0]?.headers ?? {})
  expect(names).not.toEqual(expect.arrayContaining(['x-own']))
  expect(names.filter((name) => /^(expect|keep-alive|x-service-workspace)$/.test(name))).toEqual([])
})

test('a redirect inside the app leads back to the relay', async () => {
  respond((req, res) => {
    if (req.url?.endsWith('/first')) {
      const place = `${world.platform.url}${req.url.replace(/-\/first$/, 'api.example/second')}`
      return void res.writeHead(302, { ...source, Location: place }).end()
    }
    res.writeHead(200, source).end('second')
  })

  const response = await causeway.connections.fetch(connection, '/first')

  expect(await response.text()).toBe('second')
  expect(received.map(({ url }) => url.split('/relay')[1])).toEqual(['/-/first', '/api.example/second'])
})

test('addresses in other headers name no address of the platform either', async () => {
  respond((req, res) => {
    const place = `${world.platform.url}${req.url}`
    res.writeHead(200, { ...source, 'Content-Location': place }).end()
  })

  const response = await causeway.connections.fetch(connection, '/first')

  const expected = `${world.url}/api/v1/connections/${connection}/relay/-/first`
  expect(response.headers.get('content-location')).toBe(expected)
})

describe('what the platform refuses is an ApiError', () => {
  test.each([
    [400, 'BAD_REQUEST', 422, 'input_invalid'],
    [403, 'FORBIDDEN', 403, 'relay_refused'],
    [403, 'APPROVAL_REQUIRED', 403, 'approval_required'],
    [429, 'TOO_MANY_REQUESTS', 429, 'rate_limited'],
    [502, 'CONNECTION_UNUSABLE', 409, 'account_unusable'],
    [401, 'AUTHENTICATION_FAILED', 502, 'platform_unavailable'],
    [404, 'ROUTE_NOT_FOUND', 502, 'platform_unavailable'],
  ])('%i %s', async (status, code, ours, failure) => {
    refuse(status, code)

    expect(await failureOf(causeway.connections.fetch(connection, '/x'))).toMatchObject({ status: ours, code: failure })
  })

  test('and a passing failure of the app has its own code', async () => {
    refuse(502, 'CONNECTION_UNUSABLE', { retryable: true })

    expect(await failureOf(causeway.connections.fetch(connection, '/x'))).toMatchObject({ code: 'app_unavailable' })
  })

  test('and a response without the mark of the platform is not passed on', async () => {
    respond((_req, res) => res.writeHead(200).end('<h1>another server</h1>'))

    expect(await failureOf(causeway.connections.fetch(connection, '/x'))).toMatchObject({
      code: 'platform_unavailable',
    })
  })
})

test('connections of other tenants look missing, and nothing is sent', async () => {
  await world.api('PUT', '/tenants/other', {
    workspace: 'other',
    displayName: 'Other',
    returnUrls: ['https://other.example/return'],
  })
  const { key } = await world.ports.apiKeys.create({ name: 'other', tenant: 'other' }, { kind: 'operator' })
  const other = createCauseway({ url: world.url, apiKey: key.reveal() })

  const foreign = await failureOf(other.connections.fetch(connection, '/x'))
  const missing = await failureOf(other.connections.fetch('con_none', '/x'))

  expect(foreign).toMatchObject({ status: 404, code: 'not_found' })
  expect(foreign?.message.replace(connection, '')).toBe(missing?.message.replace('con_none', ''))
  expect(received).toEqual([])
})

test('T27: a path that a proxy would resolve to another function is rejected before anything is sent', async () => {
  const paths = [
    '../../../other/functions/files/relay/-/me',
    '-/../../../../other/functions/files/relay/-/me',
    '-/%2e%2e/%2E./x',
    '-/..%2f..%2fx',
    '-/..\\x',
    '-/..;/x',
    '-/./x',
    '..',
  ]

  const statuses = await Promise.all(paths.map(sentAsIs))

  expect(statuses).toEqual(paths.map(() => 422))
  expect(received).toEqual([])
})

test('other spellings of a path are sent as they are', async () => {
  const paths = ['-/v1/a..b/.well-known/x%2Fy?from=../z', '-/v1/...', '-/v1//%7Ea']

  const statuses = await Promise.all(paths.map(sentAsIs))

  expect(statuses).toEqual([200, 200, 200])
  expect(received.map(({ url }) => url.split('/relay/')[1]).sort()).toEqual(paths.sort())
})

/** Clients resolve dots before they send. */
const sentAsIs = (path: string) =>
  new Promise<number | undefined>((resolve, reject) => {
    const { hostname, port } = new URL(world.url)
    const headers = { authorization: `Bearer ${world.key}` }
    request({ hostname, port, path: `/api/v1/connections/${connection}/relay/${path}`, headers }, (res) => {
      res.resume()
      resolve(res.statusCode)
    })
      .on('error', reject)
      .end()
  })

test('an address that is neither a path nor a URL is rejected before anything is sent', async () => {
  await expect(causeway.connections.fetch(connection, 'v1/files')).rejects.toThrow('must be absolute')
  await expect(causeway.connections.fetch('', '/x')).rejects.toThrow('connectionId must not be empty')
  expect(received).toEqual([])
})

test('a disconnected account cannot be used', async () => {
  const gone = await world.link()
  await world.api('POST', `/connections/${gone}/disconnect`, { reason: 'test' })

  expect(await failureOf(causeway.connections.fetch(gone, '/x'))).toMatchObject({
    status: 409,
    code: 'connection_disconnected',
  })
  expect(received).toEqual([])
})

describe('access tokens', () => {
  const issued = {
    accessToken: 'CANARY-access-token',
    expiresAt: '2026-11-15T09:55:00.000Z',
    header: 'Authorization',
    prefix: 'Bearer ',
    apiHosts: ['api.example'],
  }

  test('are returned with the scopes of the user, and audited without the token', async () => {
    respond((_req, res) => res.end(JSON.stringify(issued)))

    const token = await causeway.connections.getAccessToken(connection)

    const { functionName, scopes } = await world.connection(connection)
    expect(token).toEqual({ ...issued, scopes })
    expect(received).toMatchObject([{ method: 'POST', url: `/acme/functions/${functionName}/access-tokens/-` }])
    const { rows } = await world.sql.query("select * from audit where action = 'access_token.issued'")
    expect(rows).toMatchObject([{ facts: { expiresAt: issued.expiresAt } }])
    expect(JSON.stringify(rows)).not.toContain('CANARY')
  })

  test('that the operator does not allow, or of a dead grant, say so', async () => {
    refuse(403, 'FORBIDDEN')
    const refused = await failureOf(causeway.connections.getAccessToken(connection))
    refuse(502, 'CONNECTION_UNUSABLE')
    const dead = await failureOf(causeway.connections.getAccessToken(connection, { host: 'api.example' }))

    expect([refused?.code, dead?.code]).toEqual(['access_tokens_refused', 'account_unusable'])
  })
})
