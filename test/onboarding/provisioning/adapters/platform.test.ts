// What becomes of a platform's answers: our own platform's, those of another one, and those of something else.
import express from 'express'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { Secret } from '../../../../src/kit/crypto/secret.ts'
import { listen } from '../../../../src/kit/http/http-server.ts'
import type { Platform, Provisioning } from '../../../../src/onboarding/domain/ports/platform.ts'
import {
  connectionDocument,
  functionDocument,
} from '../../../../src/onboarding/provisioning/adapters/platform/documents.ts'
import { functionState } from '../../../../src/onboarding/provisioning/adapters/platform/function-state.ts'
import { platformClient } from '../../../../src/onboarding/provisioning/adapters/platform/platform.ts'
import {
  type PlatformAddress,
  type PlatformHttp,
  platformHttp,
} from '../../../../src/onboarding/provisioning/adapters/platform/platform-http.ts'
import { platformProbe } from '../../../../src/onboarding/provisioning/adapters/platform/platform-probe.ts'

type Answer = { status?: number; headers?: Record<string, string>; body?: unknown }

let answers: Record<string, Answer>
let seen: Array<{ line: string; workspace: unknown; authorization: unknown }>
let http: PlatformHttp
let platform: Platform
let close: () => Promise<void>

let address: PlatformAddress

beforeAll(async () => {
  const app = express().all('/*path', (req, res) => {
    const line = `${req.method} ${req.path}`
    seen.push({ line, workspace: req.headers['x-acme-workspace'], authorization: req.headers.authorization })
    const { status = 200, headers = {}, body = {} } = answers[line] ?? { status: 404 }
    res.status(status).set(headers)
    if (typeof body === 'string') res.send(body)
    else res.json(body)
  })
  const server = await listen(app, { host: '127.0.0.1', port: 0 })
  address = { baseUrl: `http://127.0.0.1:${server.port}/v0`, apiKey: new Secret('key'), brand: 'Acme' }
  http = platformHttp(address)
  platform = platformClient(http, address, { nameOf: (id) => id })
  close = async () => {
    await http.close()
    await server.close(0)
  }
})
afterAll(() => close())
beforeEach(() => {
  answers = {}
  seen = []
})

const at = {
  workspace: 'acme',
  integration: 'gmail',
  connectionId: 'con-1',
  connectionName: 'gmail-1',
  functionName: 'gmail-1',
} as Provisioning
const grant = {
  client: { id: 'client', secret: new Secret('hush') },
  refreshToken: new Secret('refresh-1'),
} as Parameters<Platform['createConnection']>[1]
const ours = { metadata: { labels: { 'causeway-connection': 'con-1' } } }

const posts = 'POST /v0/integrations/connections'
const one = 'GET /v0/integrations/connections/gmail-1'

test('the connection and the function have the app’s display name, which users see at sign-in', () => {
  const nameOf = () => 'Gmail'

  const documents = [connectionDocument(at, grant, { nameOf }), functionDocument(at, { nameOf })]

  expect(documents.map(({ metadata }) => metadata.displayName)).toEqual(['Gmail', 'Gmail'])
})

test('the workspace and the credential are sent in the brand’s headers', async () => {
  answers[posts] = {}

  await platform.createConnection(at, grant)

  expect(seen).toEqual([{ line: posts, workspace: 'acme', authorization: 'Bearer key' }])
})

test('S8: a function at a foreign URL is not called and never receives the platform’s key', async () => {
  const foreign = await listen(
    express().all('/*path', (req, res) => void res.json(req.headers)),
    { host: '127.0.0.1', port: 0 },
  )
  const verify = (functionUrl: string) =>
    platform.verifyFunction({ functionUrl } as Parameters<Platform['verifyFunction']>[0])

  const refused = await verify(`http://127.0.0.1:${foreign.port}/acme/functions/f`).catch((error) => error)
  const malformed = await verify('not an address').catch((error) => error)
  await foreign.close(0)

  expect([refused, malformed]).toMatchObject([{ cause: 'platform_refused' }, { cause: 'platform_refused' }])
  expect(seen).toEqual([])
})

test('an unreachable platform is unavailable, and the detail is only the network error code', async () => {
  const away = platformHttp({ ...address, baseUrl: 'http://127.0.0.1:1/v0' })

  const error = await away.send('GET', '/functions', 'acme').catch((thrown) => thrown)
  await away.close()

  expect(error).toMatchObject({
    cause: 'platform_unavailable',
    retry: {},
    detail: 'no answer: ECONNREFUSED: nothing listens there',
  })
})

test('S8: endless responses of a function or the platform are truncated', async () => {
  const endless = 'x'.repeat(9 * 1024 * 1024)
  answers['POST /v0/f/mcp'] = { headers: { 'content-type': 'application/json' }, body: `"${endless}"` }
  answers[posts] = { body: `"${endless}"` }
  const own = `${address.baseUrl}/f`

  const verified = await platform.verifyFunction({ functionUrl: own } as never).catch((error) => error)
  const created = await platform.createConnection(at, grant).catch((error) => error)

  expect([verified, created]).toMatchObject([{ cause: 'platform_unavailable' }, { cause: 'platform_unavailable' }])
})

test.each(['Acme', 'acme ', ' acme', 'a/b', '', 'x'.repeat(64)])('never sends the workspace %j', async (workspace) => {
  const refused = platform.createConnection({ ...at, workspace } as Provisioning, grant)

  await expect(refused).rejects.toMatchObject({ cause: 'platform_refused', detail: 'workspace' })
  expect(seen).toEqual([])
})

describe('an error response', () => {
  const message = 'CANARY-refresh-1 is not good'

  test.each([
    ['with a code of the contract', { code: 422, error: 'access_denied', message }, '422 access_denied'],
    ['of the API version', { error: 'invalid_api_version', message }, '422 invalid_api_version'],
    ['with its own text', { code: 422, error: 'CANARY-refresh-1', message }, '422'],
    ['with more fields', { code: 422, error: 'access_denied', message, trace: 'CANARY' }, '422 access_denied'],
    ['that is nested', { error: { code: 'FORBIDDEN', message } }, '422'],
    ['without JSON', '<h1>CANARY</h1>', '422'],
  ])('%s is logged without unsafe content', async (_, body, detail) => {
    answers[posts] = { status: 422, body }

    const refused = await platform.createConnection(at, grant).catch((error) => error)

    expect(refused).toMatchObject({ cause: 'platform_refused', retry: undefined, detail })
    expect(String(refused)).not.toContain('CANARY')
  })

  test.each([
    ['7', 7],
    ['Sun, 15 Nov 2015 12:00:00 GMT', 0],
    ['Thu, 01 Jan 2099 00:00:00 GMT', expect.any(Number)],
    ['-1', undefined],
  ])('with Retry-After %j is retried after as many seconds', async (wait, afterSeconds) => {
    const body = { code: 429, error: 'too_many_requests', message }
    answers[posts] = { status: 429, headers: { 'Retry-After': wait }, body }

    const refused = await platform.createConnection(at, grant).catch((error) => error)

    expect(refused).toMatchObject({
      cause: 'platform_unavailable',
      retry: { afterSeconds },
      detail: '429 too_many_requests',
    })
  })
})

describe('an existing resource', () => {
  test.each([
    ['with only its labels', ours],
    ['with fields of another platform', { ...ours, spec: 1, metadata: { ...ours.metadata, url: '', name: 7 } }],
  ])('%s is recognized as ours', async (_, body) => {
    answers[posts] = { status: 409 }
    answers[one] = { body }

    await platform.createConnection(at, grant)

    expect(seen.map(({ line }) => line)).toEqual([posts, one])
  })

  test.each([
    ['without labels', { metadata: {} }],
    ['with another connection’s label', { metadata: { labels: { 'causeway-connection': 'con-2' } } }],
    ['without a document', []],
  ])('%s is not recognized as ours', async (_, body) => {
    answers[posts] = { status: 409 }
    answers[one] = { body }

    await expect(platform.createConnection(at, grant)).rejects.toMatchObject({ cause: 'name_taken' })
    await expect(platform.replaceConnection(at, grant)).rejects.toMatchObject({ cause: 'name_taken' })
    await expect(platform.deleteConnection(at)).rejects.toMatchObject({ cause: 'name_taken' })
    expect(new Set(seen.map(({ line }) => line))).toEqual(new Set([posts, one]))
  })
})

describe('a function', () => {
  const place = 'GET /v0/functions/gmail-1'

  test('is called at the returned URL', async () => {
    answers['POST /v0/functions'] = { body: { metadata: { url: 'https://run.example/acme/functions/gmail-1' } } }

    expect(await platform.createFunction(at)).toEqual({ url: 'https://run.example/acme/functions/gmail-1' })
  })

  test.each([{}, { metadata: {} }, { metadata: { url: '' } }, { metadata: { url: 'not an address' } }])(
    'created with the response %j has failed',
    async (body) => {
      answers['POST /v0/functions'] = { body }

      await expect(platform.createFunction(at)).rejects.toMatchObject({
        cause: 'function_failed',
        detail: 'no address',
      })
    },
  )

  test.each([
    [
      { status: 'DEPLOYED', spec: { enabled: false } },
      { status: 'deployed', enabled: false },
    ],
    [{ status: 'FAILED' }, { status: 'failed', enabled: true }],
    [
      { status: 'CANARY of its own', spec: { enabled: false } },
      { status: 'unknown', enabled: false },
    ],
    [{ spec: { enabled: 'perhaps' } }, { status: 'unknown', enabled: true }],
    ['"nothing"', { status: 'unknown', enabled: true }],
  ])('with the state %j is reported accurately', async (body, state) => {
    answers[place] = { body }

    expect(await functionState(http)('acme', 'gmail-1')).toEqual(state)
  })

  test.each([
    [405, { code: 405, error: 'method_not_allowed', message: '' }],
    [501, ''],
  ])('is deleted and created if PUT responds with %d', async (status, body) => {
    answers[place] = { body: ours }
    answers['PUT /v0/functions/gmail-1'] = { status, body }
    answers['DELETE /v0/functions/gmail-1'] = {}
    answers['POST /v0/functions'] = { body: { metadata: { url: 'https://run.example/f' } } }

    expect(await platform.pointFunction(at)).toEqual({ url: 'https://run.example/f' })
  })
})

describe('O4: a wrong setting', () => {
  const message = 'CANARY-refresh-1'
  const create = () => platform.createConnection(at, grant).catch((error) => error)

  test.each([
    [
      'an unknown key',
      { status: 401, body: { code: 401, error: 'invalid_token', message } },
      /^401 invalid_token: PLATFORM_API_KEY/,
    ],
    [
      'a key without permission',
      { status: 403, body: { code: 403, error: 'access_denied', message } },
      /^403 access_denied: PLATFORM_API_KEY/,
    ],
    [
      'a URL that returns a page',
      { status: 200, body: '<!doctype html>CANARY' },
      /^200: no platform answers at PLATFORM_URL, .* \(\/v0\)$/,
    ],
    [
      'a URL where nothing exists',
      { status: 404, body: '<h1>CANARY</h1>' },
      /^404: no platform answers at PLATFORM_URL, .* \(\/v0\)$/,
    ],
    [
      'a URL that redirects',
      { status: 302, headers: { location: '/CANARY' } },
      /^302: no platform answers at PLATFORM_URL, .* \(\/v0\)$/,
    ],
  ])('%s is the operator’s to fix, and waiting work is retried', async (_, answer, detail) => {
    answers[posts] = answer

    const error = await create()

    expect(error).toMatchObject({ cause: 'platform_misconfigured', retry: { afterSeconds: 30 } })
    expect(error.detail).toMatch(detail)
    expect(String(error)).not.toContain('CANARY')
  })

  test('does not count as the deletion of a resource', async () => {
    answers['GET /v0/functions/gmail-1'] = { status: 404, body: gatewayError }

    await expect(platform.deleteFunction(at)).rejects.toMatchObject({ cause: 'platform_misconfigured' })
  })

  test('is reported if a function rejects the key', async () => {
    answers['POST /v0/f/mcp'] = { status: 401, body: {} }

    const error = await platform
      .verifyFunction({ functionUrl: `${address.baseUrl}/f` } as never)
      .catch((thrown) => thrown)

    expect(error).toMatchObject({ cause: 'platform_misconfigured' })
  })
})

const gatewayError = {
  error: {
    code: 'ROUTE_NOT_FOUND',
    message: 'no',
    status: 404,
    retryable: false,
    timestamp: '2026-11-15T00:00:00.000Z',
  },
}

describe('O4: the platform’s answer to our key', () => {
  const lists = (workspaces: Answer, integrations: Answer) => {
    Object.assign(answers, { 'GET /v0/workspaces': workspaces, 'GET /v0/integrations': integrations })
    return platformProbe(http).look()
  }
  const named = (...names: string[]): Answer => ({ body: names.map((name) => ({ name, displayName: name })) })
  const refusal = (code: number, error: string): Answer => ({ status: code, body: { code, error, message: 'no' } })

  test('lists its workspaces and integrations', async () => {
    expect(await lists(named('acme'), named('gmail', 'crm'))).toEqual({
      problem: undefined,
      workspaces: ['acme'],
      integrations: ['gmail', 'crm'],
    })
    expect(seen.map(({ authorization }) => authorization)).toEqual(['Bearer key', 'Bearer key'])
  })

  test('may omit them if the key cannot list or the platform has no lists', async () => {
    expect(await lists(refusal(403, 'insufficient_scope'), refusal(404, 'not_found'))).toEqual({
      problem: undefined,
      workspaces: undefined,
      integrations: undefined,
    })
  })

  test('remains a rejection during a lockout, until a key is accepted', async () => {
    const states: Array<string | undefined> = []
    for (const answer of [
      refusal(401, 'invalid_token'),
      refusal(429, 'too_many_requests'),
      named('acme'),
      refusal(429, 'too_many_requests'),
    ]) {
      const { problem } = await lists(answer, answer)
      states.push(problem && `${problem.cause}: ${problem.detail}`)
    }

    expect(states).toEqual([
      'platform_misconfigured: 401: PLATFORM_API_KEY is not accepted',
      'platform_misconfigured: 429 after 401: PLATFORM_API_KEY is not accepted',
      undefined,
      'platform_unavailable: 429',
    ])
  })

  test.each([
    ['a wrong key', refusal(401, 'invalid_token'), 'platform_misconfigured', '401: PLATFORM_API_KEY is not accepted'],
    [
      'a URL without /v0',
      { status: 404, body: gatewayError },
      'platform_misconfigured',
      '404: no platform answers at PLATFORM_URL, which has to end with the version of its API (/v0)',
    ],
    [
      'a page',
      { body: '<title>Welcome</title>' },
      'platform_misconfigured',
      '200: no platform answers at PLATFORM_URL, which has to end with the version of its API (/v0)',
    ],
    [
      'JSON of another service',
      { body: { ok: true } },
      'platform_misconfigured',
      '200: no platform answers at PLATFORM_URL, which has to end with the version of its API (/v0)',
    ],
    ['an outage', { status: 503 }, 'platform_unavailable', '503'],
  ])('reports why the key is unusable: %s', async (_, answer, cause, detail) => {
    const { problem } = await lists(answer, named())

    expect(problem).toMatchObject({ cause, detail })
  })
})

describe('O2, O3: a function that the platform could not start', () => {
  const says = 'The integration crm is not known here: add it to the integrations file (INTEGRATIONS_FILE).'
  const one = 'GET /v0/functions/gmail-1'
  const event = (status: string, text: string) => ({ status, message: text, type: 'deployment' })
  const failed = {
    metadata: { ...ours.metadata, url: 'https://functions.example/f' },
    status: 'FAILED',
    events: [event('DEPLOYING', 'Deployment started.'), event('FAILED', says)],
  }

  test('is replaced, and the platform’s message is returned', async () => {
    answers[one] = { body: failed }
    answers['PUT /v0/functions/gmail-1'] = { body: failed }

    expect(await platform.restartFunction(at, { isDue: true })).toEqual({ message: says })
    expect(seen.map(({ line }) => line)).toEqual([one, 'PUT /v0/functions/gmail-1'])
  })

  test('is only read if it was replaced recently', async () => {
    answers[one] = { body: failed }

    expect(await platform.restartFunction(at, { isDue: false })).toEqual({ message: says })
    expect(seen).toHaveLength(1)
  })

  test('is not replaced if it runs', async () => {
    answers[one] = { body: { ...failed, status: 'DEPLOYED' } }

    expect(await platform.restartFunction(at, { isDue: true })).toEqual({ message: undefined })
    expect(seen).toHaveLength(1)
  })

  test('is never replaced if it is foreign', async () => {
    answers[one] = { body: { ...failed, metadata: { labels: {} } } }

    await expect(platform.restartFunction(at, { isDue: true })).rejects.toMatchObject({ cause: 'name_taken' })
  })

  test('is shown to support with the platform’s message, truncated to one line', async () => {
    answers[one] = { body: { ...failed, events: [event('FAILED', `line\nline ${'x'.repeat(1_000)}`)] } }

    const state = await functionState(http)('acme', 'gmail-1')

    expect(state).toMatchObject({ status: 'failed', message: expect.stringMatching(/^line line x+$/) })
    expect(state?.message).toHaveLength(300)
  })
})
