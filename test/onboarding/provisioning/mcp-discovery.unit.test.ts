// Discovery against answers that a server might give, polite and rude: no socket is opened.
import { describe, expect, test } from 'vitest'
import { Secret } from '../../../src/kit/crypto/secret.ts'
import { type Answer, FetchError, type ResolvingFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { mcpServers } from '../../../src/onboarding/provisioning/adapters/mcp-server/mcp-servers.ts'
import { challengesIn } from '../../../src/onboarding/provisioning/adapters/mcp-server/protected-resource.ts'
import { authorizationServer } from '../../support/memory/mcp-servers.ts'

const mcpUrl = 'https://mcp.notes.example/v1/mcp'
const issuer = 'https://login.notes.example/tenant'

type Reply = { status?: number; headers?: Record<string, string>; json?: unknown } | FetchError
type Replies = Record<string, Reply>

const metadata = (more: object = {}) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}/token`,
  code_challenge_methods_supported: ['S256'],
  ...more,
})
const resource = (more: object = {}) => ({ resource: mcpUrl, authorization_servers: [issuer], ...more })
const challenged = (header?: string): Reply => ({
  status: 401,
  headers: header === undefined ? {} : { 'www-authenticate': header },
})
const atPath = 'https://mcp.notes.example/.well-known/oauth-protected-resource/v1/mcp'
const atRoot = 'https://mcp.notes.example/.well-known/oauth-protected-resource'
const oauth = 'https://login.notes.example/.well-known/oauth-authorization-server/tenant'

/** Responds with 404 to all other URLs. */
function answering(replies: Replies) {
  const asked: string[] = []
  const call = async (url: string, { method = 'GET' } = {}): Promise<Answer> => {
    asked.push(`${method} ${url}`)
    const reply = replies[`${method} ${url}`] ?? replies[url] ?? { status: 404 }
    if (reply instanceof FetchError) throw reply
    const { status = 200, headers = {}, json = '' } = reply
    return { status, headers, body: Buffer.from(typeof json === 'string' ? json : JSON.stringify(json)) }
  }
  const maySend = async (url: string) => !(replies[url] instanceof FetchError)
  const fetch = Object.assign(call, { mayCall: () => true, maySend, close: async () => {} }) as ResolvingFetch
  const servers = mcpServers(fetch, { name: 'Causeway', uri: 'https://connect.example' })
  return { asked, servers, discover: () => servers.discover(mcpUrl) }
}

const usual: Replies = { [mcpUrl]: challenged('Bearer'), [atPath]: { json: resource() }, [oauth]: { json: metadata() } }

describe('discovers a server', () => {
  test('by the metadata URL in its challenge, with the requested scopes', async () => {
    const named = 'https://mcp.notes.example/meta'
    const { discover, asked } = answering({
      [mcpUrl]: challenged(`Basic realm="x", Bearer scope="notes:read notes:write", resource_metadata="${named}"`),
      [named]: { json: resource({ scopes_supported: ['notes:read', 'notes:admin'] }) },
      [oauth]: { json: metadata() },
    })

    const found = await discover()

    expect(found).toMatchObject({ resource: mcpUrl, scopes: ['notes:read', 'notes:admin'] })
    expect(found.challengedScopes).toEqual(['notes:read', 'notes:write'])
    expect(asked).toEqual([`POST ${mcpUrl}`, `GET ${named}`, `GET ${oauth}`])
  })

  test.each([
    ['at the well-known URL with its path', usual],
    ['at the well-known URL of the root', { ...usual, [atPath]: { status: 404 }, [atRoot]: { json: resource() } }],
    [
      'for a resource above its URL',
      { ...usual, [atPath]: { json: resource({ resource: 'https://mcp.notes.example' }) } },
    ],
    [
      'by OpenID discovery with an inserted path',
      {
        ...usual,
        [oauth]: { status: 404 },
        'https://login.notes.example/.well-known/openid-configuration/tenant': { json: metadata() },
      },
    ],
    [
      'by OpenID discovery with an appended path',
      {
        ...usual,
        [oauth]: { status: 404 },
        [`${issuer}/.well-known/openid-configuration`]: { json: metadata() },
      },
    ],
    [
      'if the issuer has a trailing slash in one place',
      { ...usual, [oauth]: { json: metadata({ issuer: `${issuer}/` }) } },
    ],
    ['if it allows unauthenticated initialization', { ...usual, [mcpUrl]: { json: {} } }],
    [
      'by the older transport without POST',
      {
        ...usual,
        [`POST ${mcpUrl}`]: { status: 405 },
        [`GET ${mcpUrl}`]: challenged(),
      },
    ],
  ] satisfies Array<[string, Replies]>)('%s', async (_, replies) => {
    const found = await answering(replies).discover()

    expect(found.authorizationServer.tokenEndpoint).toBe(`${issuer}/token`)
  })

  test('without resource metadata, as before revision 2025-06-18', async () => {
    const origin = 'https://mcp.notes.example'
    const own = metadata({ issuer: origin, authorization_endpoint: `${origin}/a`, token_endpoint: `${origin}/t` })
    const { discover } = answering({
      [mcpUrl]: challenged(),
      [`${origin}/.well-known/oauth-authorization-server`]: { json: own },
    })

    expect(await discover()).toMatchObject({ resource: mcpUrl, authorizationServer: { issuer: origin } })
  })

  test('once a minute, however many links start', async () => {
    const { discover, asked } = answering(usual)
    await Promise.all([discover(), discover(), discover()])

    expect(asked).toHaveLength(3)
  })
})

describe('rejects a server', () => {
  const large = new FetchError('too_large')
  test.each([
    ['mcp_server_unprotected', 'without authentication', { [mcpUrl]: { json: {} } }],
    ['mcp_server_unprotected', 'that does not exist', {}],
    [
      'mcp_server_unprotected',
      'with an endless response',
      {
        [mcpUrl]: new FetchError(
          'too_large',
          '',
          new Secret<Answer>({ status: 200, headers: {}, body: Buffer.from('x') }),
        ),
      },
    ],
    ['provider_unavailable', 'that is unavailable', { [mcpUrl]: { status: 503 } }],
    ['provider_unavailable', 'that is unreachable', { [mcpUrl]: new FetchError('unreachable', 'ECONNREFUSED') }],
    ['address_blocked', 'at a blocked address', { [mcpUrl]: new FetchError('blocked') }],
    ['mcp_metadata_unusable', 'with metadata at a blocked address', { ...usual, [atPath]: new FetchError('blocked') }],
    ['mcp_server_redirects', 'that redirects', { ...usual, [mcpUrl]: { status: 307 } }],
    [
      'mcp_metadata_unusable',
      'with an authorization server at a blocked address',
      { ...usual, [oauth]: new FetchError('blocked') },
    ],
    ['mcp_metadata_unusable', 'with metadata of a gigabyte', { ...usual, [oauth]: large }],
    ['mcp_metadata_unusable', 'with invalid metadata', { ...usual, [atPath]: { json: '<html>' } }],
    [
      'mcp_metadata_unusable',
      'with metadata of another server',
      {
        ...usual,
        [atPath]: { json: resource({ resource: 'https://other.example/v1/mcp' }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'with metadata of a sibling path',
      {
        ...usual,
        [atPath]: { json: resource({ resource: 'https://mcp.notes.example/v1/m' }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'without an authorization server',
      { ...usual, [atPath]: { json: { resource: mcpUrl } } },
    ],
    [
      'mcp_metadata_unusable',
      'with an authorization server over plain http',
      {
        ...usual,
        [atPath]: { json: resource({ authorization_servers: ['http://login.notes.example'] }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'with metadata of another issuer',
      {
        ...usual,
        [oauth]: { json: metadata({ issuer: 'https://other.example' }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'with a token endpoint over plain http',
      {
        ...usual,
        [oauth]: { json: metadata({ token_endpoint: 'http://login.notes.example/token' }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'with a script as authorization endpoint',
      {
        ...usual,
        [oauth]: { json: metadata({ authorization_endpoint: 'javascript:alert(1)' }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'without PKCE',
      {
        ...usual,
        [oauth]: { json: metadata({ code_challenge_methods_supported: ['plain'] }) },
      },
    ],
    [
      'mcp_metadata_unusable',
      'with redirecting metadata',
      {
        ...usual,
        [oauth]: { status: 302, headers: { location: 'https://other.example' } },
      },
    ],
    ['provider_unavailable', 'with unavailable metadata', { ...usual, [oauth]: { status: 500 } }],
  ] satisfies Array<[string, string, Replies]>)('%s: one %s', async (cause, _, replies) => {
    await expect(answering(replies).discover()).rejects.toMatchObject({ cause })
  })

  test('and retries it for the next link', async () => {
    const { discover, asked } = answering({ [mcpUrl]: { status: 503 } })
    await discover().catch(() => {})
    await discover().catch(() => {})

    // Twice each: by the newest message, and by the one before it.
    expect(asked).toHaveLength(4)
  })
})

describe('client registration', () => {
  const at = authorizationServer()
  const register = (reply: Reply, server = at) =>
    answering({ [at.registrationEndpoint!]: reply }).servers.register(server, {
      redirectUri: 'https://connect.example/oauth/callback/notes',
      scope: 'notes:read',
    })

  test('uses the returned secret', async () => {
    const until = Date.parse('2027-01-01T00:00:00Z') / 1_000
    const json = { client_id: 'c1', client_secret: 's1', client_secret_expires_at: until }

    const { client, clientAuthentication, expiresAt } = await register({ status: 201, json })

    expect([client.id, client.secret?.reveal()]).toEqual(['c1', 's1'])
    expect(clientAuthentication).toBe('client_secret_basic')
    expect(expiresAt?.toISOString()).toBe('2027-01-01T00:00:00.000Z')
  })

  test('without a returned secret makes a public client', async () => {
    const { clientAuthentication, expiresAt } = await register({
      status: 201,
      json: { client_id: 'c1', token_endpoint_auth_method: 'client_secret_basic', client_secret_expires_at: 0 },
    })

    expect([clientAuthentication, expiresAt]).toEqual(['none', undefined])
  })

  test.each([
    ['client_registration_refused', 'a refusal', { status: 400, json: { error: 'invalid_redirect_uri' } }],
    ['client_registration_refused', 'a page', { status: 200, json: '<html>' }],
    ['client_registration_refused', 'no id', { status: 201, json: { client_secret: 's1' } }],
    [
      'client_registration_refused',
      'a client ID that headers cannot contain',
      { status: 201, json: { client_id: 'a\r\nb' } },
    ],
    [
      'client_registration_refused',
      'other redirect URIs',
      { status: 201, json: { client_id: 'c1', redirect_uris: [] } },
    ],
    [
      'client_registration_refused',
      'an unsupported client authentication method',
      {
        status: 201,
        json: { client_id: 'c1', client_secret: 's1', token_endpoint_auth_method: 'private_key_jwt' },
      },
    ],
    ['provider_unavailable', 'a throttle', { status: 429 }],
    ['mcp_metadata_unusable', 'a gigabyte', new FetchError('too_large')],
  ] satisfies Array<[string, string, Reply]>)('fails with %s for %s', async (cause, _, reply) => {
    await expect(register(reply)).rejects.toMatchObject({ cause })
  })

  test('fails without a registration endpoint', async () => {
    const server = authorizationServer({ registrationEndpoint: undefined })

    await expect(register({}, server)).rejects.toMatchObject({ cause: 'client_registration_refused' })
  })
})

test.each([
  ['Bearer', [{ scheme: 'bearer', parameters: {} }]],
  ['', []],
  ['Bearer realm="a, b", scope="x y"', [{ scheme: 'bearer', parameters: { realm: 'a, b', scope: 'x y' } }]],
  [
    'Negotiate aGVsbG8=, Bearer error = invalid_token',
    [
      { scheme: 'negotiate', parameters: {} },
      { scheme: 'bearer', parameters: { error: 'invalid_token' } },
    ],
  ],
  ['Bearer a="say \\"hi\\""', [{ scheme: 'bearer', parameters: { a: 'say "hi"' } }]],
  ['Bearer scope="first", scope="second"', [{ scheme: 'bearer', parameters: { scope: 'first' } }]],
  ['Bearer a="never ends', [{ scheme: 'bearer', parameters: {} }]],
])('parses the challenge %j', (header, challenges) => {
  expect(challengesIn(header).slice(0, challenges.length)).toEqual(challenges)
})

test.each(['token_endpoint', 'registration_endpoint', 'revocation_endpoint', 'userinfo_endpoint', 'jwks_uri'])(
  'a private %s is rejected before the user consents',
  async (name) => {
    const internal = 'https://internal.example/'
    const { discover } = answering({
      ...usual,
      [oauth]: { json: metadata({ [name]: internal }) },
      [internal]: new FetchError('blocked'),
    })

    await expect(discover()).rejects.toMatchObject({ cause: 'mcp_metadata_unusable', detail: `${name}: blocked` })
  },
)
