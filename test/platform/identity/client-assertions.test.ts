// Clients with a metadata document that prove who they are by a signed assertion (private_key_jwt), such as ChatGPT.
import { randomUUID } from 'node:crypto'
import { exportJWK, exportSPKI, generateKeyPair, importJWK, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { clientKeys } from '../../../src/platform/identity/adapters/client-keys.ts'
import { mcpApp, rpc } from '../../support/worlds/mcp-app.ts'
import { callback, type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'

const clientId = 'https://chatgpt.example/oauth/client.json'
const jwksUri = 'https://chatgpt.example/oauth/jwks.json'
const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** The members of ChatGPT's document (Altinity/altinity-mcp issue 118, read on 2026-11-18), on another host. */
const document = {
  client_id: clientId,
  client_name: 'ChatGPT',
  client_uri: 'https://chatgpt.example/',
  redirect_uris: ['https://chatgpt.example/connector_platform_oauth_redirect', callback],
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  token_endpoint_auth_method: 'private_key_jwt',
  token_endpoint_auth_methods_supported: ['none', 'private_key_jwt'],
  token_endpoint_auth_signing_alg: 'RS256',
  jwks_uri: jwksUri,
}

const keyPair = (alg: string) => generateKeyPair(alg, { extractable: true })
const publicJwk = async ({ publicKey }: Awaited<ReturnType<typeof keyPair>>, kid: string) => ({
  ...(await exportJWK(publicKey)),
  kid,
})
const rsa = await keyPair('RS256')
const ec = await keyPair('ES256')
const foreign = await keyPair('RS256')

let world: McpLoginWorld
let asked: string[] = []
const published = new Map<string, object>()
const down = new Set<string>()

const answerOf = async (uri: string) => {
  asked.push(uri)
  const found = published.get(uri)
  const status = down.has(uri) ? 503 : found ? 200 : 404
  return { status, headers: {}, body: Buffer.from(JSON.stringify(found ?? {})) }
}
const adapters = () => ({
  documents: {
    fetch: async (uri: unknown) => {
      const { status, body } = await answerOf(String(uri))
      return new Response(new Uint8Array(body), { status })
    },
    close: async () => {},
  },
  clientKeys: clientKeys(Object.assign(answerOf, { close: async () => {} }), () => new Date()),
})

beforeAll(async () => {
  published.set(clientId, document)
  published.set(jwksUri, { keys: [await publicJwk(rsa, 'k1')] })
  world = await mcpLoginWorld({}, adapters())
})
beforeEach(() => {
  asked = []
})
afterAll(() => world.close())

type Claims = Record<string, unknown>
const claimsOf = (more: Claims = {}) => {
  const now = Math.floor(Date.now() / 1000)
  const whole: Claims = { iss: clientId, sub: clientId, aud: world.origin, jti: randomUUID(), iat: now, exp: now + 300 }
  return { ...whole, ...more }
}
const sign = (claims: Claims, header: object = {}, key: Parameters<SignJWT['sign']>[0] = rsa.privateKey) =>
  new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'k1', ...header }).sign(key)
const asserting = async (claims: Claims = claimsOf(), ...how: [header?: object, key?: Parameters<typeof sign>[2]]) => ({
  client_assertion_type: type,
  client_assertion: await sign(claims, ...how),
})

/** `invalid_grant` says that the client was authenticated, `invalid_client` that it was not. */
async function tokenError(body: object, at = world.origin): Promise<string | undefined> {
  const parameters = { grant_type: 'refresh_token', refresh_token: 'unknown', ...body }
  const answer = await fetch(`${at}/oauth/token`, { method: 'POST', body: new URLSearchParams(parameters) })
  return ((await answer.json()) as { error?: string }).error
}

test('the metadata names the method and its algorithms', async () => {
  const metadata = await (await fetch(`${world.origin}/.well-known/oauth-authorization-server`)).json()

  expect(metadata).toMatchObject({
    token_endpoint_auth_methods_supported: expect.arrayContaining(['none', 'private_key_jwt']),
    token_endpoint_auth_signing_alg_values_supported: ['ES256', 'RS256', 'PS256', 'EdDSA', 'Ed25519'],
  })
})

describe('a client that signs its token requests', () => {
  test('logs in, calls a tool, refreshes and logs out, and its keys are read once', async () => {
    const app = mcpApp(world, clientId, asserting)
    const { access_token, refresh_token } = await app.tokensFor()
    const called = await app.ask(access_token, rpc('list_files'))
    const refreshed = await app.refresh(refresh_token)
    const token = refreshed.body.refresh_token ?? ''

    const body = new URLSearchParams({ token, ...(await asserting()) })
    const revoked = await fetch(`${world.origin}/oauth/revoke`, { method: 'POST', body })

    expect(await called.json()).toMatchObject({ result: { isError: false } })
    expect([refreshed.status, revoked.status]).toEqual([200, 200])
    expect((await app.refresh(token)).body.error).toBe('invalid_grant')
    expect(asked.filter((uri) => uri === jwksUri)).toHaveLength(1)
  })

  test('may publish its keys in the document', async () => {
    const id = 'https://client.example/inline.json'
    const { jwks_uri: _elsewhere, ...rest } = document
    const jwks = { keys: [await publicJwk(ec, 'e1')] }
    published.set(id, { ...rest, client_id: id, jwks, token_endpoint_auth_signing_alg: 'ES256' })
    const proof = () => asserting(claimsOf({ iss: id, sub: id }), { alg: 'ES256', kid: 'e1' }, ec.privateKey)

    const { access_token } = await mcpApp(world, id, proof).tokensFor()

    expect((await mcpApp(world, id).ask(access_token)).status).toBe(200)
  })

  test.each([
    ['the issuer', () => world.origin, {}],
    ['the issuer in a list', () => [world.origin], {}],
    ['the token endpoint', () => `${world.origin}/oauth/token`, {}],
    ['the issuer, with the type of the next RFC', () => world.origin, { typ: 'client-authentication+jwt' }],
  ])('may name %s as the audience', async (_what, aud, header) => {
    expect(await tokenError(await asserting(claimsOf({ aud: aud() }), header))).toBe('invalid_grant')
  })
})

describe('is not authenticated', () => {
  const now = () => Math.floor(Date.now() / 1000)

  test.each<[string, () => Promise<object>]>([
    ['without an assertion', async () => ({ client_id: clientId })],
    ['by another kind of assertion', async () => ({ ...(await asserting()), client_assertion_type: 'saml2-bearer' })],
    ['by an assertion for another server', () => asserting(claimsOf({ aud: 'https://else.example' }))],
    ['by one for two servers', () => asserting(claimsOf({ aud: [world.origin, 'https://else.example'] }))],
    ['by one for a function', () => asserting(claimsOf({ aud: world.mcpUrl }))],
    ['by one for no server', () => asserting(claimsOf({ aud: undefined }))],
    ['by an expired one', () => asserting(claimsOf({ iat: now() - 400, exp: now() - 60 }))],
    ['by one without an end', () => asserting(claimsOf({ exp: undefined }))],
    ['by one that lasts an hour', () => asserting(claimsOf({ exp: now() + 3_600 }))],
    ['by one from the future', () => asserting(claimsOf({ iat: now() + 120 }))],
    ['by one that is not valid yet', () => asserting(claimsOf({ nbf: now() + 120 }))],
    ['by one without an ID', () => asserting(claimsOf({ jti: undefined }))],
    ['by one with an ID that is a number', () => asserting(claimsOf({ jti: 7 }))],
    ['by one of another issuer', () => asserting(claimsOf({ iss: 'https://else.example' }))],
    ['by another kind of token', () => asserting(claimsOf(), { typ: 'at+jwt' })],
    ['by a foreign key with the ID of its own', () => asserting(claimsOf(), {}, foreign.privateKey)],
    [
      'by a key that the assertion brings along',
      async () => asserting(claimsOf(), { jwk: await exportJWK(foreign.publicKey) }, foreign.privateKey),
    ],
    [
      'by a key at an address that the assertion names',
      () => asserting(claimsOf(), { jku: 'https://evil.example/jwks.json', kid: 'evil' }, foreign.privateKey),
    ],
    ['by a key of another type', () => asserting(claimsOf(), { alg: 'ES256', kid: 'k1' }, ec.privateKey)],
    [
      'by an algorithm other than that of its document',
      async () => asserting(claimsOf(), { alg: 'PS256' }, await importJWK(await exportJWK(rsa.privateKey), 'PS256')),
    ],
    [
      'by no signature',
      async () => ({ client_assertion_type: type, client_assertion: new UnsecuredJWT(claimsOf()).encode() }),
    ],
    [
      'by its public key as a shared secret',
      async () => asserting(claimsOf(), { alg: 'HS256' }, Buffer.from(await exportSPKI(rsa.publicKey))),
    ],
    [
      'by the modulus of its key as a shared secret',
      async () =>
        asserting(claimsOf(), { alg: 'HS256' }, Buffer.from((await exportJWK(rsa.publicKey)).n ?? '', 'base64url')),
    ],
    [
      'by the assertion of another client',
      async () => ({ ...(await asserting()), client_id: 'https://else.example/a' }),
    ],
    ['by an assertion and a secret', async () => ({ ...(await asserting()), client_secret: 'secret' })],
    ['by something else', async () => ({ ...(await asserting()), client_assertion: 'a.b.c' })],
  ])('%s', async (_how, body) => {
    expect(['invalid_client', 'invalid_request']).toContain(await tokenError(await body()))
    expect(asked).not.toContain('https://evil.example/jwks.json')
  })

  test('by a key set of another client that has a key with the same ID', async () => {
    const id = 'https://evil.example/client.json'
    published.set(id, { ...document, client_id: id, jwks_uri: 'https://evil.example/jwks.json' })
    published.set('https://evil.example/jwks.json', { keys: [await publicJwk(foreign, 'k1')] })
    const evil = mcpApp(world, id, () => asserting(claimsOf({ iss: id, sub: id }), {}, foreign.privateKey))
    const { refresh_token } = await mcpApp(world, clientId, asserting).tokensFor()
    await evil.refresh('warms the cache')

    const asVictim = await tokenError(await asserting(claimsOf(), {}, foreign.privateKey))
    const asItself = await evil.refresh(refresh_token)

    expect([asVictim, asItself.body.error]).toEqual(['invalid_client', 'invalid_grant'])
  })

  test('a client without a method to sign, which sends an assertion', async () => {
    const id = 'https://client.example/public.json'
    published.set(id, {
      ...document,
      client_id: id,
      token_endpoint_auth_method: 'none',
      token_endpoint_auth_signing_alg: undefined,
    })

    expect(await tokenError(await asserting(claimsOf({ iss: id, sub: id })))).toBe('invalid_client')
  })
})

async function mcpLoginTwin(): Promise<string> {
  const twin = await world.twin(adapters())
  onTestFinished(twin.close)
  return new URL(await twin.listen()).origin
}

describe('a client whose own server does not answer', () => {
  test.each([
    ['with its document', clientId],
    ['with its keys', jwksUri],
  ])('%s is asked to repeat the request, and keeps its login', async (_what, uri) => {
    const app = mcpApp(world, clientId, asserting)
    const { refresh_token } = await app.tokensFor()
    // It has read neither yet.
    const twin = await mcpLoginTwin()
    down.add(uri)

    const early = await app.refresh(refresh_token, {}, twin)
    const body = new URLSearchParams({ token: refresh_token, ...(await asserting()) })
    const revoked = await fetch(`${twin}/oauth/revoke`, { method: 'POST', body })
    down.delete(uri)

    expect([early.status, early.body.error, revoked.status]).toEqual([503, 'temporarily_unavailable', 503])
    expect((await app.refresh(refresh_token)).status).toBe(200)
  })

  test('is not authenticated if its document is gone', async () => {
    published.delete(clientId)

    const error = await tokenError(await asserting(), await mcpLoginTwin())
    published.set(clientId, document)

    expect(error).toBe('invalid_client')
  })
})

describe('an assertion is used once', () => {
  test('by parallel requests at two processes, and by a later one', async () => {
    const twin = await mcpLoginTwin()
    const body = await asserting()

    const errors = await Promise.all(
      Array.from({ length: 20 }, (_, at) => tokenError(body, at % 2 ? twin : world.origin)),
    )
    const later = [await tokenError(body), await tokenError(body, twin)]

    expect(errors.filter((error) => error === 'invalid_grant')).toHaveLength(1)
    expect(errors.filter((error) => error === 'invalid_client')).toHaveLength(19)
    expect(later).toEqual(['invalid_client', 'invalid_client'])
  })
})

describe('keys', () => {
  test('that a client adds are found, and unknown ones are looked for once in a while', async () => {
    const id = 'https://client.example/rotating.json'
    const uri = 'https://client.example/jwks.json'
    let at = Date.now()
    const keys = clientKeys(Object.assign(answerOf, { close: async () => {} }), () => new Date(at))
    const find = (kid: string) => keys.find(uri, kid)
    const published1 = { keys: [await publicJwk(rsa, 'old')] }
    published.set(id, document).set(uri, published1)
    await find('old')
    published.set(uri, { keys: [await publicJwk(rsa, 'old'), await publicJwk(ec, 'new')] })

    at += 14_000
    const early = await find('new')
    at += 2_000
    const found = await Promise.all(Array.from({ length: 50 }, () => find('new')))
    await Promise.all(Array.from({ length: 50 }, (_, n) => find(`bogus-${n}`)))

    expect(early).toEqual(published1.keys)
    expect(found.map((set) => set?.map(({ kid }) => kid))).toEqual(Array(50).fill(['old', 'new']))
    expect(asked).toHaveLength(2)
  })

  test('stay known while their server is down, for ten minutes', async () => {
    const uri = 'https://client.example/down.json'
    let at = Date.now()
    const keys = clientKeys(Object.assign(answerOf, { close: async () => {} }), () => new Date(at))
    published.set(uri, { keys: [await publicJwk(rsa, 'k')] })
    await keys.find(uri, 'k')
    published.delete(uri)

    at += 60_000
    const bogus = await keys.find(uri, 'bogus')
    const known = await keys.find(uri, 'k')
    at += 541_000
    const later = await keys.find(uri, 'k')

    expect([bogus?.length, known?.length, later]).toEqual([1, 1, undefined])
  })

  test.each([
    ['no keys', {}],
    ['a text', { keys: 'x' }],
    ['hundreds of keys', { keys: Array.from({ length: 51 }, () => ({ kty: 'RSA', kid: 'k' })) }],
  ])('are not taken from a set with %s', async (what, set) => {
    const uri = `https://client.example/${encodeURIComponent(what)}`
    published.set(uri, set)
    const keys = clientKeys(Object.assign(answerOf, { close: async () => {} }), () => new Date())

    expect(await keys.find(uri, 'k')).toBeUndefined()
  })
})

test.each<[string, object]>([
  ['has keys at two places', { jwks: { keys: [] } }],
  ['has keys at no place', { jwks_uri: undefined }],
  ['has keys at an address without TLS', { jwks_uri: 'http://client.example/jwks.json' }],
  ['has a symmetric key', { jwks_uri: undefined, jwks: { keys: [{ kty: 'oct', k: 'c2VjcmV0', alg: 'HS256' }] } }],
  ['publishes its private key', { jwks_uri: undefined, jwks: { keys: [await exportJWK(rsa.privateKey)] } }],
  ['signs with a shared secret', { token_endpoint_auth_signing_alg: 'HS256' }],
  ['does not sign', { token_endpoint_auth_signing_alg: 'none' }],
])('a document that %s is refused without a redirect', async (what, wrong) => {
  const id = `https://client.example/${encodeURIComponent(what)}`
  published.set(id, { ...document, client_id: id, ...wrong })

  const answer = await fetch(mcpApp(world, id).authorizeUrl(), { redirect: 'manual' })

  expect([answer.status, answer.headers.get('location')]).toEqual([400, null])
})
