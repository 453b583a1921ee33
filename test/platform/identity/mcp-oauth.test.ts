// A client that has nothing but the address of a function, and a person whom a tenant vouched for.
import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt } from 'jose'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ClientRegistration, ProtectedResource } from '../../../src/contract/identity/oauth.ts'
import { grantName } from '../../../src/platform/identity/adapters/oidc-records.ts'
import { HttpBrowser, type Visit } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { callback, type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'

let world: McpLoginWorld
let clientId: string

beforeAll(async () => {
  world = await mcpLoginWorld()
  clientId = (await json(await register())).client_id
  const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
  await world.api
    .post('/v0/functions')
    .send({ metadata: { name: 'second' }, spec })
    .expect(200)
})
afterAll(() => world.close())

const register = (metadata: object = {}) =>
  fetch(`${world.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [callback], ...metadata }),
  })

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, each compared by its test
const json = (answer: Response): Promise<any> => answer.json()

const verifier = randomBytes(32).toString('base64url')
const authorizeUrl = (more: Record<string, string | undefined> = {}) => {
  const code_challenge = createHash('sha256').update(verifier).digest('base64url')
  const parameters = {
    client_id: clientId,
    response_type: 'code',
    redirect_uri: callback,
    code_challenge,
    code_challenge_method: 'S256',
    resource: world.mcpUrl,
    state: 'state',
    ...more,
  }
  const given = Object.entries(parameters).filter((entry): entry is [string, string] => entry[1] !== undefined)
  return `${world.origin}/oauth/authorize?${new URLSearchParams(given)}`
}

/** Opens the address that the tenant's server handed over. */
async function signIn(browser: HttpBrowser, login?: { url: string }): Promise<Visit> {
  const { url } = login ?? (await world.login())
  await browser.get(url)
  return browser.post(url)
}

const start = async (browser: HttpBrowser, more = {}) => browser.follow(await browser.get(authorizeUrl(more)), callback)

async function allow(browser: HttpBrowser, at: Visit): Promise<URLSearchParams> {
  const pressed = await browser.post(`${at.url.split('?')[0]}/consent`)
  return new URL((await browser.follow(pressed, callback)).url).searchParams
}

const token = async (body: Record<string, string>) => {
  const answer = await fetch(`${world.origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: clientId, ...body }),
  })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}
const exchange = (code: string, more = {}) =>
  token({ grant_type: 'authorization_code', code, code_verifier: verifier, redirect_uri: callback, ...more })

async function tokensFor(more: Record<string, string | undefined> = {}, login?: { url: string }) {
  const browser = new HttpBrowser()
  await signIn(browser, login)
  const code = (await allow(browser, await start(browser, more))).get('code') ?? ''
  return (await exchange(code)).body as { access_token: string; refresh_token: string; scope: string }
}

const rpc = (name: string, method = 'tools/call') => ({
  jsonrpc: '2.0',
  id: 1,
  method,
  params: { name, arguments: { path: 'a', size: 1 } },
})
const ask = (accessToken: string | undefined, body: object = rpc('list_files'), url = world.mcpUrl, more = {}) =>
  fetch(url, {
    method: 'POST',
    headers: {
      'Content-Type': 'application/json',
      Accept: 'application/json, text/event-stream',
      ...(accessToken && { Authorization: `Bearer ${accessToken}` }),
      ...more,
    },
    body: JSON.stringify(body),
  })

describe('discovery', () => {
  test('a request without a token is told the scope to ask for and where', async () => {
    const answer = await ask(undefined)

    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer scope="tools:read", resource_metadata="${world.metadataUrl}"`,
    )
  })

  test('the resource says who gives tokens for it, for any page and for functions that do not exist', async () => {
    const here = await fetch(world.metadataUrl)
    const nowhere = await fetch(world.metadataUrl.replace('/files/', '/nowhere/'))

    expect(ProtectedResource.parse(await here.json())).toEqual({
      resource: world.mcpUrl,
      authorization_servers: [world.origin],
      scopes_supported: ['tools:read', 'tools:write'],
      bearer_methods_supported: ['header'],
    })
    expect([here.headers.get('access-control-allow-origin'), nowhere.status]).toEqual(['*', 200])
  })

  test('the authorization server takes registrations and documents of clients', async () => {
    const answer = await fetch(`${world.origin}/.well-known/oauth-authorization-server`)

    expect(await answer.json()).toMatchObject({
      issuer: world.origin,
      registration_endpoint: `${world.origin}/oauth/register`,
      client_id_metadata_document_supported: true,
      code_challenge_methods_supported: ['S256'],
    })
  })
})

describe('registration', () => {
  test('gives a public client whatever was asked for', async () => {
    const answer = await register({ token_endpoint_auth_method: 'client_secret_basic', scope: 'admin' })
    const body = await json(answer)

    expect(answer.status).toBe(201)
    expect(ClientRegistration.parse(body)).toMatchObject({ token_endpoint_auth_method: 'none' })
    expect(body).not.toHaveProperty('client_secret')
    expect(body).not.toHaveProperty('scope')
  })

  test.each([
    ['a page without TLS', { redirect_uris: ['http://evil.example/'] }, 'invalid_redirect_uri'],
    ['a script', { redirect_uris: ['javascript:alert(1)'] }, 'invalid_redirect_uri'],
    ['nothing', { redirect_uris: [] }, 'invalid_redirect_uri'],
    ['a name of the wrong kind', { client_name: 7 }, 'invalid_client_metadata'],
  ])('open redirects by registration: %s is refused', async (_what, metadata, error) => {
    const answer = await register(metadata)

    expect([answer.status, (await json(answer)).error]).toEqual([400, error])
  })

  test('open redirects by registration: another address than the registered one gets no code and no redirect', async () => {
    const answer = await fetch(authorizeUrl({ redirect_uri: 'https://evil.example/' }), { redirect: 'manual' })

    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  test('a loopback address may have any port', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)

    const page = await start(browser, { redirect_uri: 'http://127.0.0.1:50123/callback' })

    expect(page.text).toContain('Let an app use')
  })

  test('registration floods: a visitor is told to wait', async () => {
    const small = await mcpLoginWorld({ RATE_REGISTRATIONS_PER_HOUR: '2' })
    const again = () =>
      fetch(`${small.origin}/oauth/register`, {
        method: 'POST',
        headers: { 'Content-Type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [callback] }),
      })

    const statuses = [(await again()).status, (await again()).status, (await again()).status]
    await small.close()

    expect(statuses).toEqual([201, 201, 429])
  })
})

describe('a person whom a tenant vouched for', () => {
  test('signs in by the address once, allows the app, and the token calls a tool that reads', async () => {
    const { access_token, scope } = await tokensFor()

    const answer = await ask(access_token)

    expect([scope, decodeJwt(access_token).aud]).toEqual(['tools:read', world.mcpUrl])
    expect(await answer.json()).toMatchObject({ result: { isError: false } })
  })

  test('is told in plain words what, who and where to, and that nobody checked the name', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)

    const { text } = await start(browser, { scope: 'tools:read tools:write' })

    for (const words of ['first@acme.example', 'Test client', 'an app on this device', 'send, create, edit and delete'])
      expect(text).toContain(words)
    expect(text).toContain('It hasn’t been verified')
  })

  test('opens the address once: looking uses nothing up, and a second browser is refused', async () => {
    const login = await world.login()
    const [first, second] = [new HttpBrowser(), new HttpBrowser()]
    const looks = [await first.get(login.url), await first.get(login.url)]

    const opened = await first.post(login.url)
    const again = await second.post(login.url)

    expect(looks.map(({ status }) => status)).toEqual([200, 200])
    expect([opened.status, opened.text.includes(world.mcpUrl), again.status]).toEqual([200, true, 404])
  })

  test('is not signed in by a form of another site', async () => {
    const { url } = await world.login()

    const forged = await new HttpBrowser().post(url, {}, { Origin: 'https://evil.example' })

    expect(forged.status).toBeGreaterThanOrEqual(400)
  })

  test('cannot use another function, and their browser is asked to sign in there', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)
    await start(browser)

    const page = await start(browser, { resource: world.mcpUrl.replace('/files/', '/second/') })

    expect(page.text).toContain('Open the sign-in link there')
  })

  test('cannot use the platform: their session opens no page and no consent of it', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)
    await start(browser)

    const page = await browser.follow(await browser.get(`${world.origin}/billing`))

    expect(page.text).toContain('Email address')
  })

  test('loses it with the function: a later one of the same name is not theirs', async () => {
    const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
    const create = () =>
      world.api
        .post('/v0/functions')
        .send({ metadata: { name: 'brief' }, spec })
        .expect(200)
    const url = world.mcpUrl.replace('/files/', '/brief/')
    await create()
    const { access_token } = await tokensFor({ resource: url }, await world.login(undefined, 'brief'))
    const before = await ask(access_token, rpc('list_files'), url)
    await world.api.delete('/v0/functions/brief').expect(200)
    await create()

    const after = await ask(access_token, rpc('list_files'), url)

    expect([before.status, after.status]).toEqual([200, 401])
  })
})

describe('audience confusion', () => {
  test('a token for one function is refused at another and at the platform', async () => {
    const { access_token } = await tokensFor()
    const authorization = { Authorization: `Bearer ${access_token}`, 'X-Service-Workspace': 'acme' }

    const elsewhere = await ask(access_token, rpc('list_files'), world.mcpUrl.replace('/files/', '/second/'))
    const api = await fetch(`${world.origin}/v0/functions`, { headers: authorization })
    const sandbox = await ask(access_token, rpc('x'), `${world.origin}/acme/sandboxes/box/mcp`)

    expect([elsewhere.status, api.status, sandbox.status]).toEqual([401, 401, 401])
  })

  test.each([
    ['the platform', () => ({ resource: world.origin, scope: 'functions:get' })],
    ['nothing in particular', () => ({ resource: undefined, scope: 'functions:get' })],
    ['another server', () => ({ resource: 'https://else.example/mcp' })],
    ['a function by another spelling', () => ({ resource: `${world.mcpUrl}/` })],
  ])('a client that registered itself cannot ask for %s', async (_what, more) => {
    const answer = await fetch(authorizeUrl(more()), { redirect: 'manual' })
    const location = answer.headers.get('location')
    const error = location
      ? new URL(location).searchParams.get('error')
      : (await answer.text()).includes('invalid_target')

    expect(['invalid_target', true]).toContain(error)
  })

  test('one consent is about one resource', async () => {
    const second = encodeURIComponent(world.mcpUrl.replace('/files/', '/second/'))

    const answer = await fetch(`${authorizeUrl()}&resource=${second}`, { redirect: 'manual' })

    expect([answer.status, (await json(answer)).error]).toEqual([400, 'invalid_target'])
  })

  test('a code for one function buys no token for another', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)
    const code = (await allow(browser, await start(browser))).get('code') ?? ''

    const { status, body } = await exchange(code, { resource: world.mcpUrl.replace('/files/', '/second/') })

    expect([status, body.error]).toEqual([400, 'invalid_target'])
  })

  test('token passthrough: the third party never sees the token of the client', async () => {
    const { access_token } = await tokensFor()
    const before = world.filebox.state.tokenRequests.length

    await ask(access_token, {
      ...rpc('request'),
      params: { name: 'request', arguments: { url: `${world.filebox.url}/api/echo-headers` } },
    }).then(async (answer) => expect(await answer.text()).not.toContain(access_token))

    expect(JSON.stringify(world.filebox.state.tokenRequests.slice(before))).not.toContain(access_token)
  })
})

describe('scopes', () => {
  test('a client that asks for none gets the narrow one', async () => {
    expect((await tokensFor({ scope: undefined })).scope).toBe('tools:read')
  })

  test('a tool that changes something is answered with the scopes to ask for, and nobody is called', async () => {
    const { access_token } = await tokensFor()
    const before = world.filebox.state.apiRequests.length

    const answer = await ask(access_token, rpc('write_file'))

    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="tools:read tools:write", resource_metadata="${world.metadataUrl}"`,
    )
    expect(world.filebox.state.apiRequests).toHaveLength(before)
  })

  test('neither in a batch nor by the tool for any request', async () => {
    const { access_token } = await tokensFor()
    const free = { name: 'request', arguments: { method: 'DELETE', url: `${world.filebox.url}/api/files/1` } }

    const batch = await ask(access_token, [rpc('list_files'), { ...rpc('write_file'), id: 2 }])
    const request = await ask(access_token, { ...rpc('request'), params: free })

    expect([batch.status, request.status]).toEqual([403, 403])
  })

  test('with both scopes it is called', async () => {
    const { access_token } = await tokensFor({ scope: 'tools:read tools:write' })

    expect(await (await ask(access_token, rpc('write_file'))).json()).toMatchObject({ result: { isError: false } })
  })

  test('a client that registered for the narrow one may ask for both', async () => {
    const { client_id } = await json(await register({ scope: 'tools:read' }))
    const browser = new HttpBrowser()
    await signIn(browser)
    const wanted = { client_id, scope: 'tools:read tools:write' }
    const code = (await allow(browser, await start(browser, wanted))).get('code') ?? ''

    const { body } = await exchange(code, { client_id })

    expect(body.scope).toBe('tools:read tools:write')
  })

  test('tools say whether they only read', async () => {
    const { access_token } = await tokensFor()

    const { result } = await json(await ask(access_token, { ...rpc('x', 'tools/list'), params: {} }))

    expect(result.tools.map((tool: { name: string; annotations?: object }) => [tool.name, tool.annotations])).toEqual([
      ['list_files', { readOnlyHint: true, destructiveHint: false }],
      ['write_file', { readOnlyHint: false, destructiveHint: true }],
      ['request', undefined],
    ])
  })
})

describe('what was allowed', () => {
  test('is listed by person, and revoked: access and refresh tokens end', async () => {
    const login = await world.login({ id: 'user-9', label: 'ninth@acme.example' })
    const { access_token, refresh_token } = await tokensFor({}, login)
    const { body: listed } = await world.api.get('/v0/functions/files/grants?endUserId=user-9').expect(200)

    await world.api.delete(`/v0/functions/files/grants/${listed[0].id}`).expect(200)

    expect(listed).toMatchObject([
      {
        account: 'ninth@acme.example',
        endUserId: 'user-9',
        app: { name: 'Test client', clientId },
        scopes: ['tools:read'],
      },
    ])
    await waitFor('the token is refused', async () => (await ask(access_token)).status === 401)
    const refreshed = await token({ grant_type: 'refresh_token', refresh_token })
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant'])
    expect((await world.api.get('/v0/functions/files/grants?endUserId=user-9')).body).toEqual([])
  })

  test('S18: ends with the grant of the app that vouched for the person; what others vouched for stays', async () => {
    const endUser = { id: 'user-18', label: 'eighteenth@acme.example' }
    const { pool, adapters, admin } = world.platform
    const grants = adapters.records.adapter('Grant')
    await grants.upsert('an-app', { accountId: 'a', clientId: 'c' } as never, 3_600)
    const { body: key } = await world.api.post('/v0/api_keys').send({ name: 'of-app' }).expect(200)
    await pool.query('update api_keys set grant_name = $1 where id = $2', [grantName('an-app'), key.id])
    const app = world.platform.as({ ...admin, key: key.apiKey })
    const vouch = async () => (await app.post('/v0/functions/files/logins').send({ endUser })).body
    const byApp = await tokensFor({}, await vouch())
    const byServer = await tokensFor({}, await world.login(endUser))
    const waiting = await vouch()
    const browser = new HttpBrowser()
    await signIn(browser, await vouch())
    const consent = await start(browser)
    expect((await ask(byApp.access_token)).status).toBe(200)

    await grants.destroy('an-app')

    await waitFor('the token is refused', async () => (await ask(byApp.access_token)).status === 401)
    expect((await token({ grant_type: 'refresh_token', refresh_token: byApp.refresh_token })).status).toBe(400)
    expect((await browser.post(`${consent.url.split('?')[0]}/consent`)).status).toBeGreaterThanOrEqual(400)
    expect((await new HttpBrowser().post(waiting.url)).status).toBe(404)
    expect((await ask(byServer.access_token)).status).toBe(200)
    expect((await world.api.get('/v0/functions/files/grants?endUserId=user-18')).body).toHaveLength(1)
  })

  test('is nobody’s business in another workspace', async () => {
    const other = await world.platform.enter('other', 'admin@other.example')
    await tokensFor()
    const { body } = await world.api.get('/v0/functions/files/grants')
    const stranger = world.platform.as(other)

    expect((await stranger.get('/v0/functions/files/grants')).body).toEqual([])
    await stranger.delete(`/v0/functions/files/grants/${body[0].id}`).expect(404)
    await stranger
      .post('/v0/functions/files/logins')
      .send({ endUser: { id: 'u', label: 'u' } })
      .expect(404)
  })
})

describe('browsers', () => {
  test('a page on this machine may ask first, and read the challenge', async () => {
    const origin = 'http://localhost:6274'
    const headers = {
      Origin: origin,
      'Access-Control-Request-Method': 'POST',
      'Access-Control-Request-Headers': 'authorization',
    }

    const preflight = await fetch(world.mcpUrl, { method: 'OPTIONS', headers })
    const answer = await ask(undefined, rpc('x'), world.mcpUrl, { Origin: origin })

    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, origin])
    expect([answer.status, answer.headers.get('access-control-expose-headers')]).toEqual([
      401,
      expect.stringContaining('WWW-Authenticate'),
    ])
  })

  test('DNS rebinding: a page of another site gets nothing, with or without a token', async () => {
    const { access_token } = await tokensFor()

    const answers = await Promise.all(
      [undefined, access_token].map((given) =>
        ask(given, rpc('list_files'), world.mcpUrl, { Origin: 'https://evil.example' }),
      ),
    )

    expect(answers.map(({ status }) => status)).toEqual([403, 403])
    expect(answers.map(({ headers }) => headers.get('access-control-allow-origin'))).toEqual([null, null])
  })

  test('any page may register, get tokens and read metadata: no cookie plays a part there', async () => {
    const preflight = await fetch(`${world.origin}/oauth/token`, {
      method: 'OPTIONS',
      headers: { Origin: 'https://client.example', 'Access-Control-Request-Method': 'POST' },
    })
    const refused = await fetch(`${world.origin}/oauth/token`, {
      method: 'POST',
      headers: { Origin: 'https://client.example' },
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        code: 'x',
        client_id: clientId,
        redirect_uri: callback,
        code_verifier: verifier,
      }),
    })

    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect([refused.status, (await json(refused)).error]).toEqual([400, 'invalid_grant'])
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  })
})
