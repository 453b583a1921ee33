// An MCP client that only knows the URL of a function, and an end user of a tenant.

import { decodeJwt } from 'jose'
import { afterAll, describe, expect, test } from 'vitest'
import { ClientRegistration, ProtectedResource } from '../../../src/contract/identity/oauth.ts'
import { grantName } from '../../../src/platform/identity/adapters/oidc-records.ts'
import { hashPassword } from '../../../src/platform/identity/domain/password.ts'
import { HttpBrowser } from '../../support/http/http-browser.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { mcpApp, rpc } from '../../support/worlds/mcp-app.ts'
import { callback, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'

afterAll(() => world.close())

const register = (metadata: object = {}) =>
  fetch(`${world.origin}/oauth/register`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ client_name: 'Test client', redirect_uris: [callback], ...metadata }),
  })

// biome-ignore lint/suspicious/noExplicitAny: answers of many shapes, each compared by its test
const json = (answer: Response): Promise<any> => answer.json()

const world = await mcpLoginWorld()
const clientId = (await json(await register())).client_id
const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
await createResource(world.api, 'functions', 'second', spec)

const { authorizeUrl, signIn, start, allow, token, exchange, tokensFor, ask } = mcpApp(world, clientId)

describe('discovery', () => {
  test('a request without a token returns the required scope and the metadata URL', async () => {
    const answer = await ask(undefined)

    expect(answer.status).toBe(401)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer scope="tools:read", resource_metadata="${world.metadataUrl}"`,
    )
  })

  test('resource metadata names the authorization server, for any origin and for missing functions', async () => {
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

  test('the authorization server supports client registration and client metadata documents', async () => {
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
  test('registers a public client for any request', async () => {
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
    ['a name of the wrong type', { client_name: 7 }, 'invalid_client_metadata'],
  ])('open redirects by registration: %s is rejected', async (_what, metadata, error) => {
    const answer = await register(metadata)

    expect([answer.status, (await json(answer)).error]).toEqual([400, error])
  })

  test('open redirects by registration: an unregistered URL gets no code and no redirect', async () => {
    const answer = await fetch(authorizeUrl({ redirect_uri: 'https://evil.example/' }), { redirect: 'manual' })

    expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
  })

  test('a loopback URL may have any port', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)

    const page = await start(browser, { redirect_uri: 'http://127.0.0.1:50123/callback' })

    expect(page.text).toContain('Let an app use')
  })

  test('registration floods: registrations are rate limited per client address', async () => {
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

  test('T7: registrations are also rate limited per IPv6 network, which has many client addresses', async () => {
    const small = await mcpLoginWorld({ RATE_REGISTRATIONS_PER_HOUR: '1' })
    const from = async (address: string) => {
      const headers = { 'Content-Type': 'application/json', 'X-Forwarded-For': address }
      const body = JSON.stringify({ redirect_uris: [callback] })
      return (await fetch(`${small.origin}/oauth/register`, { method: 'POST', headers, body })).status
    }

    const ofOneNetwork: number[] = []
    // The limit of a network is ten times that of a client. Two hours may share them.
    for (let at = 0; at <= 20; at++) ofOneNetwork.push(await from(`2001:db8:1:${at}::1`))
    const ofAnother = await from('2001:db8:2:1::1')
    await small.close()

    expect(ofOneNetwork).toContain(429)
    expect(ofOneNetwork[0]).toBe(201)
    expect(ofAnother).toBe(201)
  })
})

test('T7: a new registration replaces the oldest unused one above the limit, and keeps used ones', async () => {
  const { pool, adapters } = world.platform
  const { client_id: newest } = await json(await register())
  await pool.query(`insert into oauth_clients (client_id, name, redirect_uris, self_registered, created_at, used_at)
    select 'dcr_flood-' || n, 'x', '[]', true, now() - n * interval '1 second', case when n = 10001 then now() end
    from generate_series(1, 10001) n`)

  const answer = await register()

  const ids = await pool.query(`select client_id from oauth_clients where client_id like 'dcr\\_flood-%'`)
  const kept = new Set(ids.rows.map((row) => row.client_id))
  expect(answer.status).toBe(201)
  expect([kept.has('dcr_flood-10001'), kept.has('dcr_flood-10000'), kept.has('dcr_flood-1')]).toEqual([
    true,
    false,
    true,
  ])
  expect(await adapters.clients.find(newest)).toBeDefined()

  await pool.query(`update oauth_clients set created_at = now() - interval '61 minutes' where client_id = $1`, [newest])
  await adapters.clients.removeUnused()
  expect(await adapters.clients.find(newest)).toBeUndefined()
  expect(await adapters.clients.find('dcr_flood-10001')).toBeDefined()
  await pool.query(`delete from oauth_clients where client_id like 'dcr\\_flood-%'`)
})

describe('an end user of a tenant', () => {
  test('signs in by the URL once, allows the app, and the token calls a read-only tool', async () => {
    const { access_token, scope } = await tokensFor()

    const answer = await ask(access_token)

    expect([scope, decodeJwt(access_token).aud]).toEqual(['tools:read', world.mcpUrl])
    expect(await answer.json()).toMatchObject({ result: { isError: false } })
  })

  test('sees the permissions, the app, the destination and that the name is unverified', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)

    const { text } = await start(browser, { scope: 'tools:read tools:write' })

    for (const words of ['first@acme.example', 'Test client', 'an app on this device', 'send, create, edit and delete'])
      expect(text).toContain(words)
    expect(text).toContain('It hasn’t been verified')
  })

  test('opens the URL once: a GET does not use it up, and a second browser is rejected', async () => {
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

  test('cannot use another function, and has to sign in there', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)
    await start(browser)

    const page = await start(browser, { resource: world.mcpUrl.replace('/files/', '/second/') })

    expect(page.text).toContain('Open the sign-in link there')
  })

  test('cannot use pages or consents of the platform', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)
    await start(browser)

    const page = await browser.follow(await browser.get(`${world.origin}/billing`))

    expect(page.text).toContain('Email address')
  })

  test('loses access with the function: a later one with the same name is not accessible', async () => {
    const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
    const create = () => createResource(world.api, 'functions', 'brief', spec)
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

describe('a member of the workspace', () => {
  const memberTokens = async (resource: string) => {
    const email = 'admin@acme.example'
    const passwordHash = await hashPassword('open sesame')
    await world.platform.adapters.users.put({ id: 'unused', email, roles: [], passwordHash })
    const browser = new HttpBrowser()
    const page = await start(browser, { resource, scope: 'tools:read tools:write' })
    const pressed = await browser.post(`${page.url}/sign-in`, { email, password: 'open sesame' })
    const consent = await browser.follow(pressed, callback)
    const code = (await allow(browser, consent)).get('code') ?? ''
    return (await exchange(code)).body as { access_token: string; refresh_token: string }
  }

  test('T6: a consent ends with its function: a later function of the same name rejects its tokens', async () => {
    const url = world.mcpUrl.replace('/files/', '/passing/')
    const create = () => createResource(world.api, 'functions', 'passing', spec)
    await create()
    const { access_token, refresh_token } = await memberTokens(url)
    const before = await ask(access_token, rpc('write_file'), url)
    await world.api.delete('/v0/functions/passing').expect(200)
    await create()

    const after = await ask(access_token, rpc('write_file'), url)
    const refreshed = await token({ grant_type: 'refresh_token', refresh_token })
    const { body: listed } = await world.api.get('/v0/functions/passing/grants').expect(200)

    expect([before.status, after.status]).toEqual([200, 401])
    expect([refreshed.status, refreshed.body.error]).toEqual([400, 'invalid_grant'])
    expect(listed).toEqual([])
  })
})

describe('audience confusion', () => {
  test('a token for one function is rejected at another and at the platform', async () => {
    const { access_token } = await tokensFor()
    const authorization = { Authorization: `Bearer ${access_token}`, 'X-Service-Workspace': 'acme' }

    const elsewhere = await ask(access_token, rpc('list_files'), world.mcpUrl.replace('/files/', '/second/'))
    const api = await fetch(`${world.origin}/v0/functions`, { headers: authorization })
    const sandbox = await ask(access_token, rpc('x'), `${world.origin}/acme/sandboxes/box/mcp`)

    expect([elsewhere.status, api.status, sandbox.status]).toEqual([401, 401, 401])
  })

  test.each([
    ['the platform', () => ({ resource: world.origin, scope: 'functions:get' })],
    ['no resource', () => ({ resource: undefined, scope: 'functions:get' })],
    ['another server', () => ({ resource: 'https://else.example/mcp' })],
    ['a function by another spelling', () => ({ resource: `${world.mcpUrl}/` })],
  ])('a self-registered client cannot request %s', async (_what, more) => {
    const answer = await fetch(authorizeUrl(more()), { redirect: 'manual' })
    const location = answer.headers.get('location')
    const error = location
      ? new URL(location).searchParams.get('error')
      : (await answer.text()).includes('invalid_target')

    expect(['invalid_target', true]).toContain(error)
  })

  test('a consent covers one resource', async () => {
    const second = encodeURIComponent(world.mcpUrl.replace('/files/', '/second/'))

    const answer = await fetch(`${authorizeUrl()}&resource=${second}`, { redirect: 'manual' })

    expect([answer.status, (await json(answer)).error]).toEqual([400, 'invalid_target'])
  })

  test('a code for one function cannot be exchanged for another', async () => {
    const browser = new HttpBrowser()
    await signIn(browser)
    const code = (await allow(browser, await start(browser))).get('code') ?? ''

    const { status, body } = await exchange(code, { resource: world.mcpUrl.replace('/files/', '/second/') })

    expect([status, body.error]).toEqual([400, 'invalid_target'])
  })

  test('a client stays signed in after the browser session has ended', async () => {
    const { refresh_token } = await tokensFor()
    await world.platform.pool.query("delete from oidc_records where model = 'Session'")

    const refreshed = await token({ grant_type: 'refresh_token', refresh_token })

    expect(refreshed.status).toBe(200)
    expect((await ask(refreshed.body.access_token)).status).toBe(200)
  })

  test('T10: a refresh for another function is rejected and leaves the refresh token usable', async () => {
    const { refresh_token } = await tokensFor()
    const refresh = (resource: string) => token({ grant_type: 'refresh_token', refresh_token, resource })

    const wrong = await refresh(world.mcpUrl.replace('/files/', '/second/'))
    const right = await refresh(world.mcpUrl)

    expect([wrong.status, wrong.body.error]).toEqual([400, 'invalid_target'])
    expect(right.status).toBe(200)
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
  test('a client that requests no scope gets read access', async () => {
    expect((await tokensFor({ scope: undefined })).scope).toBe('tools:read')
  })

  test('a writing tool is rejected with the required scopes, and the third party is not called', async () => {
    const { access_token } = await tokensFor()
    const before = world.filebox.state.apiRequests.length

    const answer = await ask(access_token, rpc('write_file'))

    expect(answer.status).toBe(403)
    expect(answer.headers.get('www-authenticate')).toBe(
      `Bearer error="insufficient_scope", scope="tools:read tools:write", resource_metadata="${world.metadataUrl}"`,
    )
    expect(world.filebox.state.apiRequests).toHaveLength(before)
  })

  test('a batch and the request tool cannot bypass the scope', async () => {
    const { access_token } = await tokensFor()
    const free = { name: 'request', arguments: { method: 'DELETE', url: `${world.filebox.url}/api/files/1` } }

    const batch = await ask(access_token, [rpc('list_files'), { ...rpc('write_file'), id: 2 }])
    const request = await ask(access_token, { ...rpc('request'), params: free })

    expect([batch.status, request.status]).toEqual([403, 403])
  })

  test.each([
    ['an object', { toString: 'x' }],
    ['a list', ['list_files']],
    ['a number', 7],
    ['nothing', undefined],
  ])('T9: a tool name that is %s is a client error', async (_what, name) => {
    const { access_token } = await tokensFor()

    const answer = await ask(access_token, { ...rpc('x'), params: { name, arguments: {} } })

    expect(answer.status).toBeGreaterThanOrEqual(400)
    expect(answer.status).toBeLessThan(500)
  })

  test.each([
    ['utf-7', 'application/json; charset=utf-7'],
    ['utf-16le', 'application/json; charset=utf-16le'],
    ['latin1', 'application/json;charset=iso-8859-1'],
  ])('T12: a body in %s is rejected', async (_what, type) => {
    const { access_token } = await tokensFor()

    const answer = await ask(access_token, rpc('list_files'), world.mcpUrl, { 'Content-Type': type })

    expect(answer.status).toBe(400)
  })

  test.each(['/mcp/', '/MCP', '/%6dcp', '//mcp'])('T12: the path spelled %s returns 404', async (end) => {
    const { access_token } = await tokensFor()

    const answer = await ask(access_token, rpc('list_files'), world.mcpUrl.replace(/\/mcp$/, end))

    expect([400, 404]).toContain(answer.status)
  })

  test('a token with both scopes can call it', async () => {
    const { access_token } = await tokensFor({ scope: 'tools:read tools:write' })

    expect(await (await ask(access_token, rpc('write_file'))).json()).toMatchObject({ result: { isError: false } })
  })

  test('a client that registered for read access can request both', async () => {
    const { client_id } = await json(await register({ scope: 'tools:read' }))
    const browser = new HttpBrowser()
    await signIn(browser)
    const wanted = { client_id, scope: 'tools:read tools:write' }
    const code = (await allow(browser, await start(browser, wanted))).get('code') ?? ''

    const { body } = await exchange(code, { client_id })

    expect(body.scope).toBe('tools:read tools:write')
  })

  test('tools are marked as read-only or not', async () => {
    const { access_token } = await tokensFor()

    const { result } = await json(await ask(access_token, { ...rpc('x', 'tools/list'), params: {} }))

    expect(result.tools.map((tool: { name: string; annotations?: object }) => [tool.name, tool.annotations])).toEqual([
      ['list_files', { readOnlyHint: true, destructiveHint: false }],
      ['write_file', { readOnlyHint: false, destructiveHint: true }],
      ['request', undefined],
    ])
  })
})

describe('grants', () => {
  test('are listed by user and revoked with their access and refresh tokens', async () => {
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

  test('of one client and user are one entry after a step-up, and revoking it revokes all of them', async () => {
    const endUser = { id: 'user-10', label: 'tenth@acme.example' }
    const first = await tokensFor({}, await world.login(endUser))
    const second = await tokensFor({ scope: 'tools:read tools:write' }, await world.login(endUser))
    const { body: listed } = await world.api.get('/v0/functions/files/grants?endUserId=user-10').expect(200)

    await world.api.delete(`/v0/functions/files/grants/${listed[0].id}`).expect(200)

    expect(listed).toMatchObject([{ endUserId: 'user-10', scopes: ['tools:read', 'tools:write'] }])
    for (const { access_token, refresh_token } of [first, second]) {
      await waitFor('the token is refused', async () => (await ask(access_token)).status === 401)
      expect((await token({ grant_type: 'refresh_token', refresh_token })).status).toBe(400)
    }
    expect((await world.api.get('/v0/functions/files/grants?endUserId=user-10')).body).toEqual([])
  })

  test('S18: end with the grant of the app that signed the user in; others stay', async () => {
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

  test("can't be read or revoked from another workspace", async () => {
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
  test('a local page can send a preflight request and read the challenge', async () => {
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

  test('pages of any origin can register, get tokens and read metadata, because no cookie is used', async () => {
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
        code_verifier: 'a'.repeat(43),
      }),
    })

    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    expect([refused.status, (await json(refused)).error]).toEqual([400, 'invalid_grant'])
    expect(refused.headers.get('access-control-allow-origin')).toBe('*')
  })
})
