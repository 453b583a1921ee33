import { createHash, randomBytes } from 'node:crypto'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest'
import { DeviceAnswer, OAuthError, TokenAnswer } from '../../../src/contract/identity/oauth.ts'
import { allScopes } from '../../../src/contract/scopes.ts'
import { functionSessionSeconds, sessionSeconds } from '../../../src/platform/identity/adapters/authorization-server.ts'
import { hashOf } from '../../../src/platform/identity/domain/api-key.ts'
import { endedBy, hashPassword } from '../../../src/platform/identity/domain/password.ts'
import { applyIdentity } from '../../../src/platform/identity/flows/apply-identity.ts'
import { rotateKeys } from '../../../src/platform/identity/flows/bootstrap.ts'
import { stillTakenForMs } from '../../support/oracles/still-taken.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { keysOf, type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const redirectUri = 'https://app.acme.example/back'
const email = 'admin@acme.example'

let world: PlatformWorld

beforeAll(async () => {
  world = await platformWorld()
  const passwordHash = await hashPassword('open sesame')
  await world.adapters.users.put({ id: 'unused', email, roles: ['causeway-agent'], passwordHash })
  const app = { clientId: 'app', name: 'Acme App', redirectUris: [redirectUri] }
  await world.adapters.clients.add({ ...app, secretHash: hashOf('app-secret') })
  const commandLine = { name: 'Acme CLI', secretHash: undefined, redirectUris: [] }
  await world.adapters.clients.add({ clientId: 'cli', ...commandLine })
  await world.adapters.clients.add({ clientId: 'cli-2', ...commandLine })
  await world.addServiceAccount('robot', 'admin', 'robot-secret')
  await world.addServiceAccount('intern', 'member', 'intern-secret')
})

afterAll(() => world.close())

const clientCredentials = { grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret' }
const token = (body: object) => request(world.app).post('/oauth/token').type('form').send(body)

describe('discovery', () => {
  test.each([
    '/.well-known/openid-configuration',
    '/v0/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
  ])('%s lists all endpoints at the public URL, whatever the requested host', async (path) => {
    const { body } = await request(world.app)
      .get(path)
      .set('Host', 'evil.example')
      .set('X-Forwarded-Host', 'evil.example')

    expect(body).toMatchObject({
      issuer: 'http://127.0.0.1:3100',
      authorization_endpoint: 'http://127.0.0.1:3100/oauth/authorize',
      token_endpoint: 'http://127.0.0.1:3100/oauth/token',
      device_authorization_endpoint: 'http://127.0.0.1:3100/oauth/device/code',
      jwks_uri: 'http://127.0.0.1:3100/oauth/jwks',
    })
    expect(body.grant_types_supported).toEqual(
      expect.arrayContaining(['authorization_code', 'client_credentials', 'refresh_token']),
    )
    expect(body.scopes_supported).toEqual(expect.arrayContaining([...allScopes]))
  })

  test('lists only served endpoints', async () => {
    const { body } = await request(world.app).get('/.well-known/openid-configuration')
    const named = Object.entries<string>(body).filter(([name]) => /_endpoint$|^jwks_uri$/.test(name))

    const unserved = await Promise.all(
      named.map(async ([name, address]) => {
        const { pathname } = new URL(address)
        const answers = await Promise.all([request(world.app).get(pathname), request(world.app).post(pathname)])
        return answers.every(({ status }) => status === 404) ? [name] : []
      }),
    )

    expect(named.map(([name]) => name).sort()).toEqual([
      'authorization_endpoint',
      'device_authorization_endpoint',
      'jwks_uri',
      'registration_endpoint',
      'revocation_endpoint',
      'token_endpoint',
      'userinfo_endpoint',
    ])
    expect(unserved.flat()).toEqual([])
  })

  test('lists the authentication methods and only supported features', async () => {
    const { body } = await request(world.app).get('/.well-known/openid-configuration')

    expect(body.token_endpoint_auth_methods_supported).toEqual([
      'client_secret_basic',
      'client_secret_post',
      'none',
      'private_key_jwt',
    ])
    expect(Object.keys(body).sort()).toEqual([
      'authorization_endpoint',
      'authorization_grant_profiles_supported',
      'authorization_response_iss_parameter_supported',
      'claim_types_supported',
      'claims_parameter_supported',
      'claims_supported',
      'client_id_metadata_document_supported',
      'code_challenge_methods_supported',
      'device_authorization_endpoint',
      'grant_types_supported',
      'id_token_signing_alg_values_supported',
      'issuer',
      'jwks_uri',
      'registration_endpoint',
      'request_uri_parameter_supported',
      'response_modes_supported',
      'response_types_supported',
      'revocation_endpoint',
      'scopes_supported',
      'subject_types_supported',
      'token_endpoint',
      'token_endpoint_auth_methods_supported',
      'token_endpoint_auth_signing_alg_values_supported',
      'userinfo_endpoint',
    ])
  })

  test('contains only public keys', async () => {
    const { body } = await request(world.app).get('/oauth/jwks')

    expect(body.keys[0]).toMatchObject({ kty: 'EC', crv: 'P-256', alg: 'ES256', kid: expect.any(String) })
    expect(JSON.stringify(body)).not.toContain('"d"')
  })
})

describe('client credentials', () => {
  test.each(['/oauth/token', '/v0/oauth/token'])(
    'at %s give a JWT for two hours with all scopes of the client',
    async (path) => {
      const { status, body } = await request(world.app).post(path).type('form').send(clientCredentials)

      expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', 7_200])
      expect(TokenAnswer.parse(body)).toEqual(body)
      expect(decodeProtectedHeader(body.access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' })
      const claims = decodeJwt<{ scope: string }>(body.access_token)
      expect(claims.exp! - claims.iat!).toBe(7_200)
      expect(claims.scope.split(' ').sort()).toEqual([...allScopes].sort())
    },
  )

  test('are accepted as JSON and by Basic authentication', async () => {
    const json = await request(world.app).post('/oauth/token').send(clientCredentials)
    const basic = await request(world.app)
      .post('/oauth/token')
      .auth('robot', 'robot-secret')
      .type('form')
      .send({ grant_type: 'client_credentials', scope: 'drives:list' })

    expect([json.status, basic.status, basic.body.scope]).toEqual([200, 200, 'drives:list'])
  })

  test.each([
    ['no grant type', { client_id: 'robot', client_secret: 'robot-secret' }, 400, 'invalid_request', 'grant_type'],
    [
      'an unknown grant type',
      { ...clientCredentials, grant_type: 'magic' },
      400,
      'unsupported_grant_type',
      'grant_type',
    ],
    [
      'an unsupported grant type for this client',
      { ...clientCredentials, grant_type: 'refresh_token', refresh_token: 'x' },
      400,
      'invalid_request',
      '',
    ],
    ['a wrong secret', { ...clientCredentials, client_secret: 'guess' }, 400, 'invalid_client', 'client_secret'],
    ['an unknown client', { ...clientCredentials, client_id: 'nobody' }, 400, 'invalid_client', 'client_id'],
    ['an unknown scope', { ...clientCredentials, scope: 'drives:fly' }, 400, 'invalid_scope', 'scope'],
    ['a target other than ours', { ...clientCredentials, resource: 'https://else.example' }, 400, 'invalid_target', ''],
  ])('with %s are rejected with an OAuth error', async (_, body, status, error, parameter) => {
    const answer = await token(body)

    expect([answer.status, answer.body.error]).toEqual([status, error])
    expect(OAuthError.parse(answer.body).error_description).toContain(parameter)
  })

  test('never grant more than the role of the service account', async () => {
    const intern = { ...clientCredentials, client_id: 'intern', client_secret: 'intern-secret' }

    const all = await token(intern)
    const beyond = await token({ ...intern, scope: 'admin' })

    expect(all.body.scope.split(' ')).not.toContain('admin')
    expect([beyond.status, beyond.body.error]).toEqual([400, 'invalid_scope'])
  })

  test('treat an empty parameter as omitted', async () => {
    const form = await token({ ...clientCredentials, scope: '' })
    const json = await request(world.app)
      .post('/oauth/token')
      .send({ ...clientCredentials, scope: '', resource: '' })

    for (const { body } of [form, json]) expect(body.scope?.split(' ').sort()).toEqual([...allScopes].sort())
  })

  test('in a Basic header are form-encoded, may be repeated in the body, and get the scheme if wrong', async () => {
    const secret = 'a+b:c %\u00e4'
    await world.addServiceAccount('odd+id', 'member', secret)
    const basic = (...parts: string[]) =>
      `Basic ${Buffer.from(parts.map(encodeURIComponent).join(':')).toString('base64')}`
    const ask = (authorization: string, more = {}) =>
      token({ grant_type: 'client_credentials', ...more }).set('Authorization', authorization)

    const good = await ask(basic('odd+id', secret))
    const named = await ask(basic('odd+id', secret), { client_id: 'odd+id' })
    const wrong = await ask(basic('odd+id', 'guess'))

    expect([good.status, named.status, wrong.status]).toEqual([200, 200, 401])
    expect(wrong.headers['www-authenticate']).toMatch(/^Basic /)
  })

  test.each([
    [
      'the ID of another client',
      (r: request.Test) =>
        r.auth('robot', 'robot-secret').type('form').send({ grant_type: 'client_credentials', client_id: 'intern' }),
    ],
    [
      'two authentication methods',
      (r: request.Test) => r.auth('robot', 'robot-secret').type('form').send(clientCredentials),
    ],
    ['a repeated parameter', (r: request.Test) => r.type('form').send('grant_type=client_credentials&grant_type=x')],
    ['a list in JSON', (r: request.Test) => r.send({ ...clientCredentials, scope: ['a'] })],
    ['broken JSON', (r: request.Test) => r.type('json').send('{')],
  ])('sent with %s are an invalid request', async (_, send) => {
    const { status, body } = await send(request(world.app).post('/oauth/token'))

    expect([status, body.error]).toEqual([400, 'invalid_request'])
  })
})

describe('authorization code', () => {
  test('leads from sign-in and consent to API tokens and a refresh token that rotates', async () => {
    const { code, verifier } = await authorize('app', { scope: 'openid drives:list drives:get' })

    const { status, body } = await exchange(code, verifier)
    const api = await request(world.app)
      .get('/v0/drives')
      .set('Authorization', `Bearer ${body.access_token}`)
      .set('X-Service-Workspace', 'acme')
    const refresh = () => token({ ...appSecret, grant_type: 'refresh_token', refresh_token: body.refresh_token })
    const refreshed = await refresh()
    await world.pool.query("delete from oidc_records where model = 'RefreshSuccessor'")
    const reused = await refresh()
    const successor = { grant_type: 'refresh_token', refresh_token: refreshed.body.refresh_token }
    const ended = await token({ ...appSecret, ...successor })
    const audit = await world.pool.query("select * from audit_events where action = 'grant.revoked'")

    expect([status, body.token_type, body.expires_in]).toEqual([200, 'Bearer', 7_200])
    expect(api.status).toBe(200)
    expect(refreshed.status).toBe(200)
    expect(refreshed.body.refresh_token).not.toBe(body.refresh_token)
    expect([reused.status, reused.body.error]).toEqual([400, 'invalid_grant'])
    expect([ended.status, ended.body.error]).toEqual([400, 'invalid_grant'])
    expect(audit.rows).toMatchObject([{ actor_label: 'refresh token', credential: 'reuse', resource_name: 'app' }])
  })

  test('without a scope grants all scopes of the client', async () => {
    const { code, verifier } = await authorize('app', {})

    const { body } = await exchange(code, verifier)

    expect(body.scope.split(' ').sort()).toEqual([...allScopes].sort())
  })

  test('works once: the second use ends the tokens of the first', async () => {
    const { code, verifier } = await authorize('app', { scope: 'drives:list' })
    const first = await exchange(code, verifier)

    const second = await exchange(code, verifier)
    const refresh = await token({ ...appSecret, grant_type: 'refresh_token', refresh_token: first.body.refresh_token })

    expect([second.status, second.body.error]).toEqual([400, 'invalid_grant'])
    expect(second.body.error_description).toMatch(/^code /)
    expect([refresh.status, refresh.body.error]).toEqual([400, 'invalid_grant'])
  })

  test.each<[string, (first: { refresh_token: string }, again: () => PromiseLike<unknown>) => PromiseLike<unknown>]>([
    ['the reuse of its code', (_first, again) => again()],
    ['the revocation of its grant', (first) => revoke(first.refresh_token)],
  ])('S18: an access token is rejected within seconds after %s', async (_what, end) => {
    const { code, verifier } = await authorize('app', { scope: 'drives:list' })
    const { body } = await exchange(code, verifier)
    const use = () => world.as({ key: body.access_token, workspace: 'acme' }).get('/v0/drives')
    expect((await use()).status).toBe(200)

    await end(body, () => exchange(code, verifier))

    expect(await stillTakenForMs(use)).toBeLessThan(5_000)
  })

  test('S18: API keys created with a token, and keys of those, end with its grant; others stay', async () => {
    const { code, verifier } = await authorize('app', { scope: 'apiKey:write drives:list' })
    const { body: first } = await exchange(code, verifier)
    const keyOf = async (credential: string) =>
      (await world.as({ key: credential, workspace: 'acme' }).post('/v0/api_keys').send({ name: 'by-app' })).body.apiKey
    const use = async (key: string) => (await world.as({ key, workspace: 'acme' }).get('/v0/drives')).status
    const made = await keyOf(first.access_token)
    const madeByKey = await keyOf(made)
    const own = await keyOf(world.admin.key)
    expect(await Promise.all([made, madeByKey, own].map(use))).toEqual([200, 200, 200])

    await revoke(first.refresh_token)

    await waitFor('both are refused', async () => {
      const statuses = await Promise.all([made, madeByKey].map(use))
      return statuses.every((status) => status === 401)
    })
    expect(await use(own)).toBe(200)
    expect(await keyOf(first.access_token)).toBeUndefined()
    const { rows } = await world.pool.query(
      `select actor_label from audit_events where action = 'apikey.revoked' and resource_name = 'by-app'`,
    )
    expect(rows).toEqual([{ actor_label: 'grant' }, { actor_label: 'grant' }])
  })

  test('S18: service accounts created with a token, and their keys and accounts, end with its grant', async () => {
    const { code, verifier } = await authorize('app', { scope: 'admin' })
    const { body: first } = await exchange(code, verifier)
    const as = (key: string) => world.as({ key, workspace: 'acme' })
    const accountOf = async (credential: string, name: string) =>
      (await as(credential).post('/v0/service_accounts').send({ name, role: 'admin' })).body
    const tokenOf = async ({ clientId, clientSecret }: { clientId: string; clientSecret: string }) =>
      (await token({ grant_type: 'client_credentials', client_id: clientId, client_secret: clientSecret })).body
        .access_token
    const use = async (key: string) => (await as(key).get('/v0/drives')).status
    const byApp = await accountOf(first.access_token, 'by-app')
    const byAccount = await accountOf(await tokenOf(byApp), 'by-account')
    const keyOfByAccount = (
      await as(await tokenOf(byAccount))
        .post('/v0/service_accounts/robot/api_keys')
        .send({ name: 'of-robot' })
    ).body.apiKey
    const ownKey = (await as(world.admin.key).post('/v0/service_accounts/robot/api_keys').send({ name: 'own' })).body
      .apiKey
    const tokens = [await tokenOf(byApp), await tokenOf(byAccount), keyOfByAccount]
    expect(await Promise.all([...tokens, ownKey].map(use))).toEqual([200, 200, 200, 200])

    await revoke(first.refresh_token)

    await waitFor('all are refused', async () => (await Promise.all(tokens.map(use))).every((status) => status === 401))
    expect(
      (await token({ ...clientCredentials, client_id: byApp.clientId, client_secret: byApp.clientSecret })).body,
    ).toMatchObject({ error: 'invalid_client' })
    expect(await use(ownKey)).toBe(200)
    const { rows } = await world.pool.query(
      `select resource_name, actor_label from audit_events where action = 'serviceaccount.deleted' order by 1`,
    )
    expect(rows).toEqual([
      { resource_name: 'by-account', actor_label: 'grant' },
      { resource_name: 'by-app', actor_label: 'grant' },
    ])
  })

  test("S18: a session ends when its user's password changes, and not when it is set to the same value", async () => {
    const who = { email: 'sessions@acme.example', password: 'open sesame twice' }
    const apply = (password: string) =>
      applyIdentity(world.adapters, { users: [{ email: who.email, password, roles: [] }], clients: [] })
    const passwordSetAt = async () => (await world.adapters.users.findByEmail(who.email))?.passwordSetAt
    await apply(who.password)
    const first = await passwordSetAt()
    await apply(who.password)
    const same = await passwordSetAt()
    await apply('something else entirely')

    expect(same).toEqual(first)
    expect((await passwordSetAt())!.getTime()).toBeGreaterThan(first!.getTime())
  })

  test('S18: users must sign in again after the password was set', async () => {
    const browser = openBrowser()
    await signIn(browser, await startSignIn(browser, 'app', { scope: 'drives:list' }))
    const before = await browser.get('/billing')

    // Sessions begin in whole seconds.
    await world.pool.query(`update users set password_set_at = now() + interval '1 minute' where email = $1`, [email])

    const page = await browser.get('/billing')
    const step = await browser.get(await startSignIn(browser, 'app', { scope: 'drives:list' }))
    await world.pool.query(`update users set password_set_at = null where email = $1`, [email])
    const asksToSignIn = [before, page].map(({ headers }) => headers.location?.includes('/oauth/authorize'))
    expect(asksToSignIn).toEqual([false, true])
    expect(step.text).toContain('Password')
  })

  test('S18: a session ends with a newer password, and a delegated login is limited in time', () => {
    const setAt = new Date(100_500)

    expect([99, 100, 101].map((at) => endedBy(at, setAt))).toEqual([true, false, false])
    expect([endedBy(undefined, setAt), endedBy(99, undefined)]).toEqual([true, false])
    expect([1_000, 1_600, 1_900, 5_000].map((now) => functionSessionSeconds(1_000, now))).toEqual([900, 300, 1, 1])
  })

  test('S18: a session ends a day after its last use, and two weeks after its sign-in', () => {
    const day = 86_400

    expect(sessionSeconds(undefined, 100 * day)).toBe(day)
    expect(sessionSeconds(100 * day, 101 * day)).toBe(day)
    expect(sessionSeconds(100 * day, 113.5 * day)).toBe(day / 2)
    expect(sessionSeconds(100 * day, 115 * day)).toBe(1)
  })

  test('is rejected without PKCE, with a wrong verifier or with an unregistered URL', async () => {
    const noPkce = await request(world.app)
      .get('/oauth/authorize')
      .query({ client_id: 'app', response_type: 'code', redirect_uri: redirectUri })
    const elsewhere = await request(world.app)
      .get('/oauth/authorize')
      .query({
        ...challenge('v'.repeat(43)),
        client_id: 'app',
        response_type: 'code',
        redirect_uri: `${redirectUri}/x`,
      })
    const { code } = await authorize('app', { scope: 'drives:list' })
    const wrong = await exchange(code, 'w'.repeat(43))

    expect(new URL(noPkce.headers.location!).searchParams.get('error')).toBe('invalid_request')
    expect([elsewhere.status, elsewhere.headers.location]).toEqual([400, undefined])
    expect(wrong.body.error).toBe('invalid_grant')
  })

  test('S6: the consent page explains the permission to create keys', async () => {
    const browser = openBrowser()
    const consent = await signIn(browser, await startSignIn(browser, 'app', { scope: 'apiKey:write' }))

    expect((await browser.get(consent)).text).toContain('Create API keys that act for you')
  })

  test('asks for no consent when an app of the operator only signs a user in', async () => {
    await world.adapters.clients.register({ clientId: 'found', name: 'Found App', redirectUris: [redirectUri] })
    await world.adapters.clients.add({
      clientId: 'public',
      name: 'App',
      secretHash: undefined,
      redirectUris: [redirectUri],
    })
    const landed = async (clientId: string, scope: string) => {
      const browser = openBrowser()
      return (await signIn(browser, await startSignIn(browser, clientId, { scope }))).split('?')[0]
    }

    expect(await landed('app', 'openid')).toBe('/back')
    expect(await landed('app', 'openid drives:list')).toMatch(/^\/oauth\/interaction\//)
    expect(await landed('public', 'openid')).toMatch(/^\/oauth\/interaction\//)
    expect(await landed('found', 'openid')).toMatch(/^\/oauth\/interaction\//)
  })

  test('ends with access_denied when the user denies', async () => {
    const browser = openBrowser()
    const interaction = await startSignIn(browser, 'app', { scope: 'drives:list' })
    const consent = await signIn(browser, interaction)

    const refused = await browser.post(`${consent}/refuse`).type('form').send({})
    const back = await browser.get(pathOf(refused.headers.refresh!))

    expect(new URL(back.headers.location!).searchParams.get('error')).toBe('access_denied')
  })

  test('gives the same error for a wrong password and an unknown user', async () => {
    const browser = openBrowser()
    const interaction = await startSignIn(browser, 'app', {})
    const guess = (address: string) =>
      browser.post(`${interaction}/sign-in`).type('form').send({ email: address, password: 'guess' })

    const wrong = await guess('somebody@acme.example')
    const unknown = await guess('nobody@acme.example')
    // Of so many, more than ten are in one quarter of an hour, even if the next one begins among them.
    const guesses = await Promise.all(Array.from({ length: 22 }, () => guess('somebody@acme.example')))

    const page = ({ text }: { text: string }) => text.replace(/\w+@acme.example|req_[\w-]+/g, '')
    expect([wrong.status, page(wrong)]).toEqual([401, page(unknown)])
    expect(guesses.map(({ status }) => status)).toContain(429)
  })

  test.each<[string, (ours: string) => Record<string, string>, number]>([
    ['another site', () => ({ 'Sec-Fetch-Site': 'cross-site' }), 403],
    ['another site, in a browser that sends only the origin', () => ({ Origin: 'https://evil.example' }), 403],
    ['nowhere', () => ({}), 403],
    ['our page, in a browser that sends only the origin', (ours) => ({ Origin: ours }), 200],
  ])('checks the origin of a form: %s', async (_from, headersOf, status) => {
    const browser = request.agent(world.app)
    const interaction = await startSignIn(browser, 'app', {})

    const answer = await browser
      .post(`${interaction}/sign-in`)
      .set(headersOf(new URL(world.config.addresses.auth).origin))
      .type('form')
      .send({ email, password: 'open sesame' })

    expect(answer.status).toBe(status)
  })
})

describe('the ID token', () => {
  test('contains the user, the sign-in time and the roles for apps that request them', async () => {
    const { code, verifier } = await authorize('app', { scope: 'openid drives:list', max_age: '3600' })

    const { body } = await exchange(code, verifier)

    expect(decodeJwt(body.id_token)).toMatchObject({ email, roles: ['causeway-agent'], auth_time: expect.any(Number) })
  })
})

test('GET on the token endpoint returns 405 and allows POST', async () => {
  const answer = await request(world.app).get('/oauth/token').query({ client_secret: 'robot-secret' })

  expect([answer.status, answer.headers.allow]).toEqual([405, 'POST'])
  expect(OAuthError.parse(answer.body).error).toBe('invalid_request')
})

describe('device code', () => {
  test.each([
    ['get', '/oauth/device/code'],
    ['get', '/oauth/device/never-was'],
    ['post', '/oauth/device'],
  ] as const)('%s %s from a browser without a session gets the start page', async (method, path) => {
    const answer = await request(world.app)[method](path)

    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Connect a device')
  })

  async function begin() {
    const { body } = await request(world.app)
      .post('/oauth/device/code')
      .type('form')
      .send({ client_id: 'cli', scope: 'drives:list' })
    const grant_type = 'urn:ietf:params:oauth:grant-type:device_code'
    return { device: body, poll: () => token({ client_id: 'cli', grant_type, device_code: body.device_code }) }
  }

  async function enterCode(browser: ReturnType<typeof openBrowser>, user_code: string) {
    const enter = await browser.get('/oauth/device')
    return answer(browser, enter.text, { user_code })
  }

  /** Sends the form of a page of the flow. */
  const answer = (browser: ReturnType<typeof openBrowser>, page: string, fields: Record<string, string>) =>
    browser
      .post('/oauth/device')
      .type('form')
      .send({ xsrf: xsrfIn(page), ...fields })

  test('returns a token after the user confirmed the code in a browser', async () => {
    const { device, poll } = await begin()
    const before = await poll()

    const browser = openBrowser()
    const confirm = await enterCode(browser, device.user_code)
    const started = await answer(browser, confirm.text, { user_code: device.user_code, confirm: 'yes' })
    const consent = await signIn(browser, pathOf(started.headers.location!))
    const allowed = await browser.post(`${consent}/consent`).type('form').send({})
    const ready = await browser.get(pathOf(allowed.headers.refresh!))
    const after = await poll()

    expect(DeviceAnswer.parse(device)).toEqual(device)
    expect(OAuthError.parse(before.body).error).toBe('authorization_pending')
    expect(confirm.text).toContain('Acme CLI')
    expect(ready.text).toContain('Your device is connected')
    expect([after.status, after.body.scope]).toEqual([200, 'drives:list'])
  })

  test('is reported as invalid if mistyped or used', async () => {
    const { device } = await begin()
    const browser = openBrowser()
    const confirm = await enterCode(browser, device.user_code)
    await answer(browser, confirm.text, { user_code: device.user_code, abort: 'yes' })

    const mistyped = await enterCode(openBrowser(), 'WRNG-CODE')
    const used = await enterCode(openBrowser(), device.user_code)

    expect(mistyped.text).toContain('Unknown code')
    expect(used.text).toContain('This code has already been used')
  })

  test('ends with access_denied if the user denies', async () => {
    const { device, poll } = await begin()
    const browser = openBrowser()
    const confirm = await enterCode(browser, device.user_code)

    const refused = await answer(browser, confirm.text, { user_code: device.user_code, abort: 'yes' })

    expect(refused.text).toContain('Request denied')
    expect((await poll()).body.error).toBe('access_denied')
  })

  test('returns no token once expired, and entering it late fails', async () => {
    const { device, poll } = await begin()
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + (device.expires_in + 1) * 1_000 })
    onTestFinished(() => void vi.useRealTimers())

    const late = await enterCode(openBrowser(), device.user_code)
    const asked = await poll()

    expect([asked.status, asked.body.error]).toEqual([400, 'expired_token'])
    expect(late.text).toContain('This code has expired')
  })

  test('is rejected at the token endpoint if unknown, missing or of another app', async () => {
    const { device } = await begin()
    const poll = (device_code?: string, client_id = 'cli') =>
      request(world.app)
        .post('/oauth/token')
        .send({ client_id, grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code })

    const unknown = await poll('nobody-has-this')
    const missing = await poll()
    const foreign = await poll(device.device_code, 'cli-2')

    expect([unknown.status, unknown.body.error]).toEqual([400, 'invalid_grant'])
    expect([missing.status, missing.body.error]).toEqual([400, 'invalid_request'])
    expect(missing.body.error_description).toContain('device_code')
    expect([foreign.status, foreign.body.error]).toEqual([400, 'invalid_grant'])
  })
})

describe('restart and rotation', () => {
  test('a restart keeps sessions and refresh tokens', async () => {
    const { code, verifier, cookies } = await authorize('app', { scope: 'drives:list' })
    const { body } = await exchange(code, verifier)
    const restarted = await platformWorld({
      env: { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: keysOf(world) },
    })

    const refreshed = await request(restarted.app)
      .post('/oauth/token')
      .type('form')
      .send({ ...appSecret, grant_type: 'refresh_token', refresh_token: body.refresh_token })
    const again = await request(restarted.app)
      .get('/oauth/authorize')
      .set('Cookie', cookies)
      .query({
        ...challenge('v'.repeat(43)),
        client_id: 'app',
        response_type: 'code',
        redirect_uri: redirectUri,
        scope: 'drives:list',
      })
    await restarted.close()

    expect(refreshed.status).toBe(200)
    expect(again.headers.location).toContain(`${redirectUri}?code=`)
  })

  test('after a rotation new tokens are signed with the new key and old ones stay valid', async () => {
    const { body: old } = await token(clientCredentials)
    const { kid } = await rotateKeys(world.adapters.signingKeys, new Date())
    const other = await platformWorld({
      env: { DATABASE_URL: world.config.databaseUrl, ENCRYPTION_KEYS: keysOf(world) },
    })

    const fresh = await request(other.app).post('/oauth/token').type('form').send(clientCredentials)
    const use = (access: string, app = world.app) =>
      request(app).get('/v0/drives').set('Authorization', `Bearer ${access}`)
    const statuses = [
      (await use(old.access_token)).status,
      (await use(old.access_token, other.app)).status,
      (await use(fresh.body.access_token)).status,
    ]
    await other.close()

    expect(decodeProtectedHeader(fresh.body.access_token).kid).toBe(kid)
    expect(statuses).toEqual([200, 200, 200])
  })

  test('no token, code or secret is stored in plain text', async () => {
    const { code, verifier } = await authorize('app', { scope: 'drives:list' })
    const { body } = await exchange(code, verifier)

    const { rows } = await world.pool.query(
      `select string_agg(t, E'\\n') as text from (
         select oidc_records::text as t from oidc_records union all select signing_keys::text from signing_keys
         union all select oauth_clients::text from oauth_clients union all select users::text from users) everything`,
    )

    for (const secret of [code, body.refresh_token, 'app-secret', 'open sesame']) {
      expect(rows[0].text).not.toContain(secret)
      expect(rows[0].text).not.toContain(Buffer.from(secret).toString('hex'))
    }
  })
})

const appSecret = { client_id: 'app', client_secret: 'app-secret' }

const challenge = (verifier: string) => ({
  code_challenge: createHash('sha256').update(verifier).digest('base64url'),
  code_challenge_method: 'S256',
})

const pathOf = (address: string) => {
  const url = new URL(address.replace(/^0; url=/, ''), 'http://127.0.0.1:3100')
  return `${url.pathname}${url.search}`
}

const xsrfIn = (html: string) => /name="xsrf" value="([^"]+)"/.exec(html)?.[1] ?? ''

async function startSignIn(
  browser: ReturnType<typeof request.agent>,
  clientId: string,
  query: object,
  verifier = 'v'.repeat(43),
) {
  const answer = await browser
    .get('/oauth/authorize')
    .query({ ...challenge(verifier), client_id: clientId, response_type: 'code', redirect_uri: redirectUri, ...query })
  return pathOf(answer.headers.location!)
}

/** Says of its forms what browsers say. */
const openBrowser = () => request.agent(world.app).set('Sec-Fetch-Site', 'same-origin')

/** Answers the path of the page that asks for consent. */
async function signIn(browser: ReturnType<typeof request.agent>, interaction: string): Promise<string> {
  const page = await browser.get(interaction)
  expect(page.text).toContain('Sign in')
  const signedIn = await browser.post(`${interaction}/sign-in`).type('form').send({ email, password: 'open sesame' })
  const next = await browser.get(pathOf(signedIn.headers.refresh!))
  return pathOf(next.headers.location!)
}

async function authorize(clientId: string, query: object) {
  const browser = openBrowser()
  const verifier = randomBytes(32).toString('base64url')
  const consent = await signIn(browser, await startSignIn(browser, clientId, query, verifier))
  const allowed = await browser.post(`${consent}/consent`).type('form').send({})
  const back = await browser.get(pathOf(allowed.headers.refresh!))
  const code = new URL(back.headers.location!).searchParams.get('code') ?? ''
  const cookies = [back.headers['set-cookie'] ?? []].flat().map((cookie: string) => cookie.split(';')[0]!)
  return { code, verifier, cookies }
}

const revoke = (refreshToken: string) =>
  request(world.app)
    .post('/oauth/revoke')
    .type('form')
    .send({ ...appSecret, token: refreshToken })
    .expect(200)

const exchange = (code: string, verifier: string) =>
  token({ ...appSecret, grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier })
