// The HTTP relay of a function: any request to the API of its account.

import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import type { GatewayError } from '../../../src/contract/error-bodies.ts'
import type { IssuedAccessToken } from '../../../src/contract/gateway/access-token.ts'
import type { ToolRule } from '../../../src/platform/gateway/domain/tool-policy.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { createResource, platformWorld } from '../../support/worlds/platform-world.ts'

type Handler = (req: IncomingMessage, res: ServerResponse, body: Buffer) => void

/** A provider whose API does what each test needs. */
async function startProvider() {
  const seen: Array<{ method: string; url: string; headers: IncomingMessage['headers']; body: Buffer }> = []
  const state = { answer: ((_req, res) => res.end('{}')) as Handler, token: '', tokens: 0, revoked: false }
  const server = createServer(async (req, res) => {
    const chunks: Buffer[] = []
    for await (const chunk of req) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    if (req.url === '/token') {
      res.setHeader('Content-Type', 'application/json')
      if (state.revoked) return void res.writeHead(400).end('{"error":"invalid_grant"}')
      state.token = `CANARY-access-token-${++state.tokens}`
      return void res.end(JSON.stringify({ access_token: state.token, token_type: 'Bearer', expires_in: 3600 }))
    }
    seen.push({ method: req.method ?? '', url: req.url ?? '', headers: req.headers, body })
    if (req.headers.authorization !== `Bearer ${state.token}`) return void res.writeHead(401).end('{"error":"token"}')
    state.answer(req, res, body)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  const integration = {
    id: 'files',
    displayName: 'Files',
    endpoints: { authorization: `http://${host}/authorize`, token: `http://${host}/token` },
    account: { from: 'none' },
    scopes: [{ name: 'files' }],
    apiHosts: [host, 'other.example'],
    api: { headers: { 'X-Api-Version': '7' } },
    tools: [],
  }
  return { state, seen, host, integration, close: () => void server.close().closeAllConnections() }
}

type Provider = Awaited<ReturnType<typeof startProvider>>

const connection = (name: string, integration = 'files') => ({
  metadata: { name },
  spec: {
    integration,
    secret: { CLIENT_ID: 'c', CLIENT_SECRET: 'CANARY-client-secret', REFRESH_TOKEN: `CANARY-${name}-refresh` },
  },
})

async function start(provider: Provider, rules: ToolRule[] = [], secret: Record<string, string> = {}) {
  const file = join(temporaryFolder(), 'policy.json')
  writeFileSync(file, JSON.stringify({ rules }))
  const platform = await platformWorld({ integrations: [provider.integration], env: { TOOL_POLICY_FILE: file } })
  onTestFinished(() => platform.close())
  const api = platform.as(platform.admin)
  const { metadata, spec } = connection('ada')
  const ada = { metadata, spec: { ...spec, secret: { ...spec.secret, ...secret } } }
  await api.post('/v0/integrations/connections').send(ada).expect(200)
  await createResource(api, 'functions', 'files', {
    type: 'mcp',
    integrationConnections: ['ada'],
    runtime: { type: 'mcp' },
  })
  const base = `${await platform.listen()}/acme/functions/files/relay`
  const key = platform.admin.key
  const relay = (path: string, init: RequestInit & { duplex?: 'half' } = {}) =>
    fetch(`${base}${path}`, {
      redirect: 'manual',
      ...init,
      headers: { Authorization: `Bearer ${key}`, ...(init.headers as Record<string, string>) },
    })
  const tokenOf = (host: string, credential = key) =>
    fetch(`${base.replace(/relay$/, 'access-tokens')}/${host}`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${credential}` },
    })
  const calls = async () => {
    let found: Array<Record<string, unknown>> = []
    await waitFor('the call is recorded', async () => {
      found = (await api.get('/v0/functions/files/tool-calls').expect(200)).body.data
      return found.length > 0
    })
    return found
  }
  return { platform, api, base, key, relay, tokenOf, calls }
}

const errorOf = async (answer: Response) => ((await answer.json()) as GatewayError).error

let provider: Provider

beforeEach(async () => {
  provider = await startProvider()
})
afterEach(() => provider.close())

test('sends method, path, query, headers and body with the token of the account, and returns the response', async () => {
  provider.state.answer = (_req, res) =>
    res.writeHead(201, { 'Retry-After': '3', 'X-RateLimit-Remaining': '9', ETag: '"1"' }).end('made')
  const { relay, key } = await start(provider)

  const answer = await relay(`/${provider.host}/v1/things/a%20b?x=1&x=2`, {
    method: 'PATCH',
    headers: { 'Content-Type': 'text/plain', 'X-Api-Version': '1', 'X-Custom': 'kept' },
    body: 'hello',
  })

  expect([answer.status, await answer.text()]).toEqual([201, 'made'])
  expect(Object.fromEntries(answer.headers)).toMatchObject({
    'retry-after': '3',
    'x-ratelimit-remaining': '9',
    etag: '"1"',
  })
  expect(provider.seen).toMatchObject([
    {
      method: 'PATCH',
      url: '/v1/things/a%20b?x=1&x=2',
      headers: {
        authorization: 'Bearer CANARY-access-token-1',
        'content-type': 'text/plain',
        'x-api-version': '7',
        'x-custom': 'kept',
        'accept-encoding': 'identity',
      },
    },
  ])
  expect(provider.seen[0]?.body.toString()).toBe('hello')
  expect(JSON.stringify(provider.seen)).not.toContain(key)
})

test('the host - is the first API host', async () => {
  const { relay } = await start(provider)

  expect((await relay('/-/v1/me')).status).toBe(200)
  expect(provider.seen.map(({ url }) => url)).toEqual(['/v1/me'])
})

test('removes credentials of the caller, hop-by-hop headers and what selects another method or path', async () => {
  const { base, key } = await start(provider)

  await fetch(`${base}/-/x`, {
    headers: {
      Authorization: 'Bearer CANARY-of-the-caller',
      'X-Service-Authorization': `Bearer ${key}`,
      'X-Service-Workspace': 'acme',
      Cookie: 'a=CANARY-cookie',
      'X-Forwarded-For': '10.0.0.1',
      'X-HTTP-Method-Override': 'DELETE',
      X_HTTP_Method_Override: 'DELETE',
      'X-Original-URL': '/admin',
      'X-Rewrite-URL': '/admin',
      Traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
      Referer: 'https://inside.example/',
    },
  })

  const headers = provider.seen[0]?.headers ?? {}
  expect(headers.authorization).toBe('Bearer CANARY-access-token-1')
  expect(Object.keys(headers).sort()).toEqual([
    'accept',
    'accept-encoding',
    'accept-language',
    'authorization',
    'connection',
    'host',
    'user-agent',
    'x-api-version',
  ])
})

test.each([
  ['a host of another app', '/evil.example/x', 400],
  ['credentials in the host', '/-@evil.example/x', 404],
  ['another port', '/127.0.0.1:1/x', 400],
  ['no host', '', 404],
])('rejects %s', async (_, path, status) => {
  const { relay } = await start(provider)

  expect((await relay(path)).status).toBe(status)
  expect(provider.seen).toEqual([])
})

test('requires a key of the workspace', async () => {
  const { relay, platform } = await start(provider)
  const stranger = await platform.enter('elsewhere', 'stranger@elsewhere.example', 'strangers')

  const anonymous = await relay('/-/x', { headers: { Authorization: '' } })
  const other = await relay('/-/x', { headers: { Authorization: `Bearer ${stranger.key}` } })

  expect([anonymous.status, other.status]).toEqual([401, 404])
  expect(provider.seen).toEqual([])
})

test('replaces a rejected token and repeats the request once', async () => {
  const { relay } = await start(provider)
  await relay('/-/x')
  provider.state.token = 'revoked early'

  const answer = await relay('/-/x', { method: 'POST', body: 'once more' })

  expect(answer.status).toBe(200)
  expect(provider.seen.slice(1).map(({ body }) => body.toString())).toEqual(['once more', 'once more'])
  expect(provider.state.tokens).toBe(2)
})

test('100 parallel requests across a refresh cause one refresh and no error', async () => {
  const { relay } = await start(provider)
  await relay('/-/x')
  provider.state.token = 'revoked early'

  const answers = await Promise.all(Array.from({ length: 100 }, () => relay('/-/x')))

  expect(answers.filter(({ status }) => status !== 200)).toEqual([])
  expect(provider.state.tokens).toBe(2)
})

test('a stream cannot be repeated: its 401 is returned, and the next request has a new token', async () => {
  const { relay } = await start(provider)
  await relay('/-/x')
  provider.state.token = 'revoked early'
  const stream = () => new Blob(['a', 'b']).stream()

  const first = await relay('/-/x', { method: 'PUT', body: stream(), duplex: 'half' })
  const second = await relay('/-/x', { method: 'PUT', body: stream(), duplex: 'half' })

  expect([first.status, second.status]).toEqual([401, 200])
  expect(provider.state.tokens).toBe(2)
})

test('a dead grant is reported, with the way out', async () => {
  provider.state.revoked = true
  const { relay, api } = await start(provider)

  const answer = await relay('/-/x')

  expect(answer.status).toBe(502)
  expect(await errorOf(answer)).toMatchObject({
    code: 'CONNECTION_UNUSABLE',
    retryable: false,
    message: expect.stringMatching(/"ada" to Files needs re-linking/),
  })
  const problems = (await api.get('/v0/grant-problems').expect(200)).body.data
  expect(problems).toMatchObject([{ connection: 'ada', code: 'grant_revoked' }])
})

test('a provider that breaks off is reported as a failure that may pass', async () => {
  provider.state.answer = (req) => void req.socket.destroy()
  const { relay } = await start(provider)

  const answer = await relay('/-/x')

  expect(answer.status).toBe(502)
  expect(await errorOf(answer)).toMatchObject({ retryable: true, message: 'Files could not be reached.' })
})

describe('a redirect', () => {
  test('to an API host leads back to the relay, and is not followed', async () => {
    provider.state.answer = (_req, res) => res.writeHead(302, { Location: '/upload/7?a=1' }).end()
    const { relay } = await start(provider)

    const answer = await relay('/-/x')

    expect(answer.status).toBe(302)
    expect(answer.headers.get('location')).toMatch(
      new RegExp(`/acme/functions/files/relay/${provider.host}/upload/7\\?a=1$`),
    )
    expect(provider.seen).toHaveLength(1)
  })

  test('to another host is returned unchanged, and nothing is sent there', async () => {
    provider.state.answer = (_req, res) => res.writeHead(307, { Location: 'https://evil.example/x' }).end()
    const { relay } = await start(provider)

    expect((await relay('/-/x')).headers.get('location')).toBe('https://evil.example/x')
    expect(provider.seen).toHaveLength(1)
  })
})

describe('secrets in a response are masked', () => {
  const echo = (req: IncomingMessage) =>
    `sent: ${req.headers.authorization}; "CANARY-client-secret" CANARY-ada-refresh.`
  const masked = `sent: Bearer ${'*'.repeat('CANARY-access-token-1'.length)}; "${'*'.repeat('CANARY-client-secret'.length)}" ${'*'.repeat('CANARY-ada-refresh'.length)}.`

  test.each<[string, Handler]>([
    ['in the body', (req, res) => void res.end(echo(req))],
    [
      'byte by byte',
      async (req, res) => {
        for (const byte of Buffer.from(echo(req))) {
          res.write(Buffer.of(byte))
          await new Promise((resolve) => setImmediate(resolve))
        }
        res.end()
      },
    ],
    ['in gzip', (req, res) => void res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(gzipSync(echo(req)))],
    [
      'in deflate',
      (req, res) => void res.writeHead(200, { 'Content-Encoding': 'deflate' }).end(deflateSync(echo(req))),
    ],
    [
      'in brotli',
      (req, res) => void res.writeHead(200, { 'Content-Encoding': 'br' }).end(brotliCompressSync(echo(req))),
    ],
  ])('%s', async (_, answer) => {
    provider.state.answer = answer
    const { relay } = await start(provider)

    expect(await (await relay('/-/echo')).text()).toBe(masked)
  })

  test('and a response without a body is not decoded', async () => {
    provider.state.answer = (_req, res) => void res.writeHead(304, { 'Content-Encoding': 'gzip', ETag: '"1"' }).end()
    const { relay } = await start(provider)

    expect((await relay('/-/x')).status).toBe(304)
  })

  test('in headers', async () => {
    provider.state.answer = (req, res) => void res.writeHead(200, { 'X-Echo': `${req.headers.authorization}` }).end()
    const { relay } = await start(provider)

    expect((await relay('/-/echo')).headers.get('x-echo')).toMatch(/^Bearer \*+$/)
  })

  test('and an unknown encoding is refused', async () => {
    provider.state.answer = (_req, res) => void res.writeHead(200, { 'Content-Encoding': 'compress' }).end('x')
    const { relay } = await start(provider)

    expect((await relay('/-/echo')).status).toBe(502)
  })
})

describe('the policy of the operator', () => {
  const outcomes = async (rules: ToolRule[], requests: Array<[method: string, path: string]>) => {
    const { relay } = await start(provider, rules)
    return Promise.all(requests.map(async ([method, path]) => (await relay(path, { method })).status))
  }

  test('limits methods', async () => {
    expect(
      await outcomes(
        [{ relay: { methods: ['GET'] } }],
        [
          ['GET', '/-/x'],
          ['HEAD', '/-/x'],
          ['POST', '/-/x'],
        ],
      ),
    ).toEqual([200, 200, 403])
  })

  test('limits paths, also if dots or slashes are encoded', async () => {
    const rules = [{ integration: 'files', relay: { paths: ['/v1/files/*', '/v1/me'] } }]
    const paths = [
      '/-/v1/files/7',
      '/-/v1/me',
      '/-/v1/me/7',
      '/-/v1/files/../admin',
      '/-/v1/files/%2e%2e/admin',
      '/-/v1/files/..%2fadmin',
      '/-/v1/files/%252e%252e/admin',
      '/-/v1/files/..;/admin',
    ]

    expect(
      await outcomes(
        rules,
        paths.map((path) => ['GET', path]),
      ),
    ).toEqual([200, 200, 403, 403, 403, 403, 403, 403])
  })

  test('offers only reading requests if it is read-only', async () => {
    expect(
      await outcomes(
        [{ readOnly: true }],
        [
          ['GET', '/-/x'],
          ['DELETE', '/-/x'],
        ],
      ),
    ).toEqual([200, 403])
  })

  test('can deny the relay', async () => {
    expect(await outcomes([{ deny: ['relay'] }], [['GET', '/-/x']])).toEqual([403])
    expect(provider.seen).toEqual([])
  })

  test('limits the rate', async () => {
    const { relay } = await start(provider, [{ perMinute: { relay: 1 } }])
    await relay('/-/x')

    const second = await relay('/-/x')

    expect([second.status, Number(second.headers.get('retry-after')) > 0]).toEqual([429, true])
  })
})

test('several accounts at one host need a function each', async () => {
  const { api, platform, key } = await start(provider)
  await api.post('/v0/integrations/connections').send(connection('bob')).expect(200)
  await createResource(api, 'functions', 'both', {
    type: 'mcp',
    integrationConnections: ['ada', 'bob'],
    runtime: { type: 'mcp' },
  })

  const answer = await fetch(`${await platform.listen()}/acme/functions/both/relay/-/x`, {
    headers: { Authorization: `Bearer ${key}` },
  })

  expect([answer.status, (await errorOf(answer)).message]).toEqual([400, expect.stringMatching(/ada and bob/)])
})

test('requests are recorded and billed, without path and body', async () => {
  const { relay, calls, platform } = await start(provider)
  await relay('/-/users/CANARY-person')
  await relay('/evil.example/x')
  await waitFor('both calls are recorded', async () => (await calls()).length === 2)

  expect(await calls()).toMatchObject([
    { tool: 'relay GET', outcome: 'refused' },
    { tool: 'relay GET', outcome: 'succeeded' },
  ])
  expect(JSON.stringify(await calls())).not.toContain('CANARY-person')
  await waitFor('the usage is billed', async () => {
    const { rows } = await platform.pool.query(
      "select 1 from usage_events where dimension = 'mcp_server_compute_runtime_gbs'",
    )
    return rows.length === 2
  })
})

test('large bodies are streamed both ways', async () => {
  const size = 24 * 1024 * 1024
  provider.state.answer = (_req, res, body) => {
    res.writeHead(200, { 'Content-Length': String(body.length) })
    res.end(body)
  }
  const { relay } = await start(provider)

  const answer = await relay('/-/x', { method: 'PUT', body: Buffer.alloc(size, 'a') })

  expect(answer.headers.get('content-length')).toBe(String(size))
  expect((await answer.arrayBuffer()).byteLength).toBe(size)
})

describe('access tokens', () => {
  const allowed: ToolRule[] = [{ integration: 'files', accessTokens: true }]

  test('are short-lived, work at the app, come from the same refresh as relayed requests, and are recorded', async () => {
    const { tokenOf, relay, calls } = await start(provider, allowed)
    const before = Date.now()

    const [answer, again] = [await tokenOf('-'), await tokenOf(provider.host)]
    const { accessToken, expiresAt, ...rest } = (await answer.json()) as IssuedAccessToken
    await relay('/-/v1/me')

    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect([accessToken, ((await again.json()) as IssuedAccessToken).accessToken]).toEqual(
      Array(2).fill('CANARY-access-token-1'),
    )
    expect(provider.state.tokens).toBe(1)
    expect(rest).toEqual({ header: 'authorization', prefix: 'Bearer ', apiHosts: [provider.host, 'other.example'] })
    expect(Date.parse(expiresAt) - before).toBeGreaterThan(3_500_000)
    expect(Date.parse(expiresAt) - before).toBeLessThan(3_600_000)
    await waitFor('the calls are recorded', async () => (await calls()).length === 3)
    expect((await calls())[1]).toMatchObject({ tool: 'access_token', outcome: 'succeeded' })
    expect(JSON.stringify(await calls())).not.toContain('CANARY')
  })

  test.each<[string, ToolRule[]]>([
    ['no rule allows them', []],
    ['a rule allows them for another app', [{ integration: 'other', accessTokens: true }]],
    ['a rule allows them for another workspace', [{ workspace: 'globex', accessTokens: true }]],
    ['one rule allows and another forbids them', [...allowed, { workspace: 'acme', accessTokens: false }]],
    ['some calls need an approval, which a token would lead around', [...allowed, { approval: { methods: ['POST'] } }]],
  ])('are refused if %s', async (_why, rules) => {
    const { tokenOf, calls } = await start(provider, rules)

    const answer = await tokenOf('-')

    expect([answer.status, (await errorOf(answer)).code]).toEqual([403, 'FORBIDDEN'])
    expect(provider.state.tokens).toBe(0)
    expect(await calls()).toMatchObject([{ tool: 'access_token', outcome: 'refused' }])
  })

  test('are refused if the token of the account does not expire', async () => {
    const lasting = { ACCESS_TOKEN: 'CANARY-lasting', REFRESH_TOKEN: '' }
    const { tokenOf } = await start(provider, allowed, lasting)

    const answer = await tokenOf('-')
    const text = await answer.text()

    expect([answer.status, text]).toEqual([403, expect.stringMatching(/does not expire/)])
    expect(text).not.toContain('CANARY')
  })

  test('need a key of the workspace, a grant that is alive, and are limited', async () => {
    const { tokenOf } = await start(provider, [...allowed, { perMinute: { access_token: 2 } }])
    provider.state.revoked = true

    const statuses = [await tokenOf('-', 'cwp_unknown'), await tokenOf('evil.example'), await tokenOf('-')]
    provider.state.revoked = false
    const limited = [await tokenOf('-'), await tokenOf('-')].map(({ status }) => status)

    expect(statuses.map(({ status }) => status)).toEqual([401, 400, 502])
    expect(limited[1]).toBe(429)
  })
})
