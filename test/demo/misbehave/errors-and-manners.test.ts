import { request } from 'node:http'
import { afterAll, describe, expect, test } from 'vitest'
import { plainClient, redirectUri, startProvider } from './plain-client.ts'

const provider = await startProvider()
afterAll(() => provider.close())

const at = (path: string) => plainClient(provider, path)

describe('errors of the app at the token endpoint, for an invalid code', () => {
  test.each([
    ['rfc', 'client_secret=expired', 401, { error: 'invalid_client' }],
    ['google', 'app=deleted', 401, { error: 'deleted_client' }],
    ['google', 'app=suspended', 401, { error: 'disabled_client' }],
    ['microsoft', 'client_secret=expired', 401, { error: 'invalid_client', error_codes: [7_000_222] }],
    ['microsoft', 'app=suspended', 400, { error_codes: [7_000_112] }],
    ['slack', 'client_secret=expired', 200, { ok: false, error: 'bad_client_secret' }],
    ['slack', 'clients=forgotten', 200, { ok: false, error: 'invalid_client_id' }],
    ['github', 'client_secret=expired', 200, { error: 'incorrect_client_credentials' }],
    ['github', 'app=suspended', 200, { error: 'application_suspended' }],
    ['atlassian', 'client_secret=expired', 401, { error: 'access_denied' }],
    ['clickup', 'client_secret=expired', 401, { ECODE: 'OAUTH_010' }],
    ['rfc', 'client_secret=expired;client_error=nope;client_error_status=403', 403, { error: 'nope' }],
  ])('%s, %s', async (errors, state, status, body) => {
    const answer = await at(`e;errors=${errors};${state}`).exchange('junk')

    expect(answer).toMatchObject({ status, body })
  })

  test('a valid client with an invalid code gets an error about the code only', async () => {
    const words = ['google', 'microsoft', 'slack', 'github', 'zoho'].map(async (errors) => {
      const { body } = await at(`e;errors=${errors}`).exchange('junk')
      return body.error
    })

    expect(await Promise.all(words)).toEqual([
      'invalid_grant',
      'invalid_grant',
      'invalid_code',
      'bad_verification_code',
      'invalid_code',
    ])
  })
})

describe('a dead refresh token', () => {
  test.each([
    ['microsoft;refresh_idle=60d', 400, { error_codes: [700_082] }],
    ['slack;grant_max_age=1d', 200, { ok: false, error: 'invalid_refresh_token' }],
    ['zoho;grant_max_age=1d', 200, { error: 'invalid_code' }],
    ['rfc;grant_max_age=1d;broken_grant_error=bad_token;broken_grant_status=403', 403, { error: 'bad_token' }],
  ])('errors=%s', async (path, status, body) => {
    const client = at(`d;errors=${path}`)
    const { refresh_token: token } = await client.link()

    await client.control('/clock', 'POST', { advanceSeconds: 60 * 86_400 })

    expect(await client.refresh(token)).toMatchObject({ status, body })
  })
})

describe('the authorization endpoint', () => {
  test('an unregistered redirect URI is reported on a page and never visited', async () => {
    const client = at('p;redirect_uri=registered;errors=google')

    const answer = await client.authorize()

    expect(answer.status).toBe(400)
    expect(answer.text).toContain('Error 400: redirect_uri_mismatch')
    expect(answer.headers.get('location')).toBeNull()
  })

  test('redirect_uri_error=callback reports it at the registered callback, as GitHub does', async () => {
    const client = at('p;redirect_uri=registered;errors=github;redirect_uri_error=callback')
    const registered = 'https://registered.example/callback'
    await client.control(`/clients/${client.client.client_id}`, 'PUT', {
      secret: client.client.client_secret,
      redirectUris: [registered],
    })

    const { headers } = await client.authorize()

    expect(headers.get('location')).toContain(`${registered}?error=redirect_uri_mismatch`)
    expect((await client.authorize({ redirect_uri: registered })).headers.get('location')).toContain('code=')
  })

  test.each([
    ['app=unverified;errors=google', 'Error 403: access_denied'],
    ['app=internal;errors=google', 'Error 403: org_internal'],
    ['app=deleted;errors=google', 'Error 401: deleted_client'],
    ['admin_approval=needed;errors=google', 'admin_policy_enforced'],
    ['admin_approval=needed;errors=microsoft', 'AADSTS90094'],
    ['redirect_uri=rejected;errors=microsoft', 'AADSTS50011'],
  ])('%s is shown on a page', async (path, words) => {
    expect((await at(`p;${path}`).authorize()).text).toContain(words)
  })

  test.each([
    ['consent=denied', { error: 'access_denied', state: 'state-1' }],
    ['consent=failed', { error: 'server_error' }],
    ['admin_approval=needed', { error: 'access_denied' }],
    ['callback_iss=wrong', { iss: 'https://elsewhere.example' }],
    ['callback_state=wrong', { state: 'another-state' }],
    ['callback_hmac=signed', { hmac: expect.stringMatching(/^[0-9a-f]{64}$/) }],
  ])('%s is reported in the callback', async (path, callback) => {
    expect(await at(`p;${path}`).callback()).toMatchObject(callback)
  })

  test('sign_in=before_checks shows the same page for every request', async () => {
    const client = at('p;sign_in=before_checks;redirect_uri=registered')

    const [one, other] = [await client.authorize(), await client.authorize({ client_id: 'nobody' })]

    expect(one.status).toBe(other.status)
    expect(one.text.replace(/client_id=[^&]*/, '')).toBe(other.text.replace(/client_id=[^&]*/, ''))
  })

  test('consent=page waits for the user', async () => {
    const client = at('p;consent=page')
    const query = new URLSearchParams({
      client_id: client.client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'files.read',
      code_challenge: 'c',
      code_challenge_method: 'S256',
    })

    expect((await client.authorize()).text).toContain('wants access')
    const denied = await client.post(`/authorize?${query}`, { choice: 'deny' })
    expect(denied.headers.get('location')).toContain('error=access_denied')
    const allowed = await client.post(`/authorize?${query}`, { choice: 'allow' })
    expect(allowed.headers.get('location')).toContain('code=')
  })
})

describe('response styles', () => {
  test.each([
    ['html', 200, 'text/html; charset=utf-8'],
    ['html_error', 400, 'text/html; charset=utf-8'],
    ['empty', 200, 'application/json'],
    ['not_json', 200, 'application/json'],
    ['redirect', 307, 'text/plain'],
    ['throttled', 429, 'application/json'],
    ['server_error', 500, 'application/json'],
    ['out_of_service', 503, 'text/html; charset=utf-8'],
  ])('token_manner=%s, and the grant exists', async (manner, status, type) => {
    const client = at(`m;token_manner=${manner}`)

    const answer = await client.exchange((await client.callback()).code)

    expect(answer.status).toBe(status)
    expect(answer.headers.get('content-type')).toBe(type)
    expect((await client.control('', 'GET')).body.grants).toHaveLength(1)
  })

  test.each(['cut', 'reset'])('%s: the response breaks off', async (manner) => {
    const client = at(`m;token_manner=${manner}`)

    await expect(client.exchange((await client.callback()).code)).rejects.toThrow()
  })

  test.each(['hang', 'headers_only', 'slow', 'drip'])('%s: the response never completes', async (manner) => {
    const client = at(`m;token_manner=${manner}`)
    const { code } = await client.callback()
    const fields = { grant_type: 'authorization_code', code: code ?? '', redirect_uri: redirectUri }
    const body = new URLSearchParams({ ...fields, code_verifier: client.verifier, ...client.client })

    const asked = client.send('/token', { method: 'POST', body, signal: AbortSignal.timeout(300) })

    await expect(asked).rejects.toThrow(/abort|timeout/i)
  })

  test('huge: the response does not end while it is read', async () => {
    const megabytes = await read(`${provider.url}/m;discovery_manner=huge/.well-known/openid-configuration`, 8)

    expect(megabytes).toBe(8)
  })

  test('clock_skew: the Date header of responses is behind', async () => {
    const { headers } = await at('m;clock_skew=1h').send('/.well-known/openid-configuration')

    expect(Date.now() - Date.parse(headers.get('date') ?? '')).toBeGreaterThan(3_500_000)
  })
})

/** Reads this many megabytes and hangs up. */
const read = (address: string, megabytes: number) =>
  new Promise<number>((resolve, reject) => {
    let bytes = 0
    const asked = request(address, (answer) => {
      answer.on('error', () => {})
      answer.on('data', (piece: Buffer) => {
        bytes += piece.length
        if (bytes < megabytes * 1_048_576) return
        asked.destroy()
        resolve(Math.floor(bytes / 1_048_576))
      })
    })
    asked.on('error', reject).end()
  })
