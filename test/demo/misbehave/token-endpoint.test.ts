import { afterAll, describe, expect, test } from 'vitest'
import { plainClient, startProvider } from './plain-client.ts'

const provider = await startProvider()
afterAll(() => provider.close())

const at = (path: string) => plainClient(provider, path)

test('without switches it follows the specification: code, tokens, refresh, API, revocation', async () => {
  const client = at('sound')

  const tokens = await client.link()
  const refreshed = (await client.refresh(tokens.refresh_token)).body
  const files = await client.files(refreshed.access_token)
  await client.post('/revoke', { token: tokens.refresh_token, ...client.client })

  expect(tokens).toMatchObject({ token_type: 'Bearer', expires_in: 3_600, scope: 'openid files.read' })
  expect(tokens.id_token.split('.')).toHaveLength(3)
  expect(files).toMatchObject({ status: 200, body: { files: [{ owner: 'ada' }] } })
  expect((await client.refresh(tokens.refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
  expect((await client.files(refreshed.access_token)).status).toBe(401)
})

test('a code works once, with its redirect URI and verifier', async () => {
  const client = at('codes')
  const { code } = await client.callback()

  expect((await client.exchange(code, { redirect_uri: 'https://other.example/' })).body.error).toBe('invalid_grant')
  expect((await client.exchange(code, { code_verifier: 'x'.repeat(43) })).body.error).toBe('invalid_grant')
  expect((await client.exchange(code)).status).toBe(200)
  expect((await client.exchange(code)).body.error).toBe('invalid_grant')
})

describe('requests', () => {
  test('pkce=refused rejects a challenge and a verifier', async () => {
    const client = at('r;pkce=refused')

    expect(await client.callback()).toMatchObject({ error: 'invalid_request' })
    const { code } = await client.callback({ code_challenge: undefined, code_challenge_method: undefined })
    expect((await client.exchange(code)).body.error).toBe('invalid_request')
    expect((await client.exchange(code, { code_verifier: undefined })).status).toBe(200)
  })

  test('token_request=json rejects a form', async () => {
    const client = at('r;token_request=json')
    const { code } = await client.callback()
    const fields = { grant_type: 'authorization_code', code, redirect_uri: 'https://client.example/callback' }

    expect((await client.exchange(code)).body.error).toBe('invalid_request')
    const answer = await client.postJson('/token', { ...fields, code_verifier: client.verifier, ...client.client })
    expect(answer).toMatchObject({ status: 200, body: { token_type: 'Bearer' } })
  })

  test('token_parameter and token_header are required', async () => {
    const client = at('r;token_parameter=audience;token_header=X-Version')
    const { code } = await client.callback()

    expect((await client.exchange(code, { audience: 'api' })).body.error).toBe('invalid_request')
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'https://client.example/callback',
      code_verifier: client.verifier,
      audience: 'api',
      ...client.client,
    }
    expect((await client.post('/token', fields, { 'X-Version': '2' })).status).toBe(200)
  })

  test('renamed parameters are accepted only by their new names', async () => {
    const client = at('r;client_id_parameter=client_key;client_secret_parameter=app_secret;code_parameter=auth_code')
    const { client_id: id, client_secret: secret } = client.client

    expect((await client.authorize()).status).toBe(401)
    const { auth_code: code, code: none } = await client.callback({ client_id: undefined, client_key: id })
    expect(none).toBeUndefined()
    expect((await client.exchange(code)).body.error).toBe('invalid_client')
    const renamed = { client_id: undefined, client_secret: undefined, client_key: id, app_secret: secret }
    expect((await client.exchange(code, renamed)).status).toBe(200)
  })

  test.each([
    ['basic', 'post'],
    ['post', 'basic'],
  ])('client_authentication=%s rejects %s', async (wanted, other) => {
    const client = at(`r;client_authentication=${wanted}`)
    const { code } = await client.callback()
    const { client_id: id, client_secret: secret } = client.client
    const header = { Authorization: `Basic ${btoa(`${id}:${secret}`)}` }
    const fields = {
      grant_type: 'authorization_code',
      code,
      redirect_uri: 'https://client.example/callback',
      code_verifier: client.verifier,
    }
    const by = (way: string) =>
      way === 'basic' ? client.post('/token', fields, header) : client.post('/token', { ...fields, ...client.client })

    expect((await by(other)).body.error).toBe('invalid_client')
    expect((await by(wanted)).status).toBe(200)
  })

  test('refresh_at=elsewhere accepts refresh tokens only at /refresh', async () => {
    const client = at('r;refresh_at=elsewhere')
    const { refresh_token: token } = await client.link()

    expect((await client.refresh(token)).body.error).toBe('unsupported_grant_type')
    expect((await client.refresh(token, {}, '/refresh')).status).toBe(200)
  })

  test('refresh_token_parameter and api_header are required', async () => {
    const client = at('r;refresh_token_parameter=renewal_token;api_header=api-version')
    const { refresh_token: token, access_token: access } = await client.link()
    const headers = { Authorization: `Bearer ${access}`, 'api-version': '1' }

    expect((await client.refresh(token)).body.error).toBe('invalid_grant')
    expect((await client.refresh('', { renewal_token: token })).status).toBe(200)
    expect((await client.files(access)).status).toBe(400)
    expect((await client.send('/api/files', { headers })).status).toBe(200)
  })

  test('refresh_scope=needed requires the scopes', async () => {
    const client = at('r;refresh_scope=needed')
    const { refresh_token: token } = await client.link()

    expect((await client.refresh(token)).body.error).toBe('invalid_scope')
    expect((await client.refresh(token, { scope: 'files.read' })).status).toBe(200)
  })

  test.each([
    ['comma', 'openid,files.read', 'openid files.read'],
    ['plus', 'openid+files.read', 'openid files.read'],
    ['space', 'openid files.read', 'openid,files.read'],
  ])('scope_separator=%s', async (separator, right, wrong) => {
    const client = at(`r;scope_separator=${separator}`)

    expect(await client.callback({ scope: wrong })).toMatchObject({ error: 'invalid_scope' })
    expect((await client.link({ scope: right })).scope).toBe(right)
  })

  test('scopes=on_app rejects a scope parameter', async () => {
    const client = at('r;scopes=on_app')

    expect(await client.callback()).toMatchObject({ error: 'invalid_scope' })
    expect((await client.link({ scope: undefined })).scope).toBe('files.read files.write')
  })

  test('scopes=user_scope reads the scopes from that parameter', async () => {
    const tokens = await at('r;scopes=user_scope').link({ user_scope: 'files.write' })

    expect(tokens.scope).toBe('files.write')
  })
})

describe('responses', () => {
  test.each([
    ['token_nesting=authed_user', { authed_user: { access_token: expect.any(String) } }],
    [
      'token_nesting=beside_bot',
      { access_token: 'bot-access-token', authed_user: { access_token: expect.any(String) } },
    ],
    ['token_nesting=data', { message: 'success', data: { refresh_token: expect.any(String) } }],
    ['token_nesting=list', [{ access_token: expect.any(String) }]],
    ['token_type=bot', { token_type: 'bot' }],
    ['expiry=text', { expires_in: '3600' }],
    ['expiry=iso', { expires_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/) }],
    ['expiry=epoch', { expires_at: expect.any(Number) }],
    ['expiry=words', { expires_in: 'soon' }],
    ['scope_answer=list', { scope: ['openid', 'files.read'] }],
    ['scope_answer=narrower', { scope: 'openid' }],
    ['scope_answer=wider', { scope: 'openid files.read files.delete' }],
    ['scope_answer=reordered', { scope: 'files.read openid' }],
    ['refresh_token=empty', { refresh_token: '' }],
    ['refresh_token=null', { refresh_token: null }],
    ['refresh_token=number', { refresh_token: 12_345 }],
    ['identity=token_answer', { account_id: 'account-ada', account_email: 'ada@misbehave.example' }],
  ])('%s', async (path, expected) => {
    expect(await at(`a;${path}`).link()).toMatchObject(expected)
  })

  test.each(['token_type=missing', 'expiry=missing', 'scope_answer=missing', 'refresh_token=never'])(
    '%s omits the member',
    async (path) => {
      const member = { token_type: 'token_type', expiry: 'expires_in', scope_answer: 'scope' }[path.split('=')[0] ?? '']

      expect(await at(`a;${path}`).link()).not.toHaveProperty(member ?? 'refresh_token')
    },
  )

  test.each([
    ['text', 'text/plain'],
    ['form', 'application/x-www-form-urlencoded'],
    ['utf16', 'application/json; charset=utf-16'],
  ])('answer_format=%s', async (format, type) => {
    const client = at(`a;answer_format=${format}`)

    const answer = await client.exchange((await client.callback()).code)

    expect(answer.headers.get('content-type')).toBe(type)
  })

  test.each(['api_base_member=api_domain', 'callback_member=realmId'])(
    '%s: the API is served only there',
    async (path) => {
      const client = at(`a;${path}`)
      const callback = await client.callback()
      const { body } = await client.exchange(callback.code)
      const place = callback.realmId ?? body.api_domain.split('/').at(-1)

      expect((await client.files(body.access_token)).status).toBe(404)
      expect((await client.files(body.access_token, `/api/in/${place}`)).status).toBe(200)
    },
  )

  test('host_input=path: codes are bound to a customer, and there are no endpoints without one', async () => {
    const client = at('a;host_input=path')
    const { code } = await client.callback({}, '/at/acme')

    expect((await client.authorize()).status).toBe(404)
    expect((await client.exchange(code, {}, '/at/other')).body.error).toBe('invalid_grant')
    expect((await client.exchange(code, {}, '/at/acme')).status).toBe(200)
    const metadata = await client.send('/at/acme/.well-known/openid-configuration')
    expect(metadata.body.issuer).toBe(`${client.base}/at/acme`)
  })

  test('long_lived=exchange exchanges a token of one hour for one of sixty days', async () => {
    const client = at('a;long_lived=exchange;refresh_token=never')
    const { access_token: short } = await client.link()

    const fields = { grant_type: 'fb_exchange_token', fb_exchange_token: short, ...client.client }
    const { body } = await client.post('/token', fields)
    await client.control('/clock', 'POST', { advanceSeconds: 86_400 })

    expect((await client.files(short)).status).toBe(401)
    expect((await client.files(body.access_token)).status).toBe(200)
  })
})
