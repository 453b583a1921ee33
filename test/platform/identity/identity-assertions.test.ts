// Identity assertions (ID-JAG) that a thief, another company, another app or a broken issuer sends.
import { randomUUID } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { exportJWK, exportSPKI, generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { clientKeys } from '../../../src/platform/identity/adapters/client-keys.ts'
import { hashOf } from '../../../src/platform/identity/domain/api-key.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { mcpApp, rpc } from '../../support/worlds/mcp-app.ts'
import { callback, type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:jwt-bearer'
const company = 'https://login.company.example'
const rival = 'https://login.rival.example'
const shared = 'https://login.shared.example'
const jwksOf = (issuer: string) => `${issuer}/jwks`
const client = { client_id: 'wiki', client_secret: 'CANARY-wiki-secret-0123456789abcdef' }
const documentId = 'https://app.example/client.json'
const person = { id: 'person-1', label: 'person@company.example' }

const keyPair = (alg: string) => generateKeyPair(alg, { extractable: true })
const [ec, rsa, foreign] = await Promise.all([keyPair('ES256'), keyPair('RS256'), keyPair('ES256')])
const publicJwk = async ({ publicKey }: typeof ec, kid: string) => ({ ...(await exportJWK(publicKey)), kid })

const published = new Map<string, object>()
let asked: string[] = []
const answerOf = async (uri: string) => {
  asked.push(uri)
  return {
    status: published.has(uri) ? 200 : 404,
    headers: {},
    body: Buffer.from(JSON.stringify(published.get(uri) ?? {})),
  }
}
const adapters = () => ({
  issuerKeys: clientKeys(Object.assign(answerOf, { close: async () => {} }), () => new Date()),
  documents: {
    fetch: async (uri: unknown) => Response.json(published.get(String(uri)) ?? {}),
    close: async () => {},
  },
})

let world: McpLoginWorld

beforeAll(async () => {
  const keys = [await publicJwk(ec, 'e1'), await publicJwk(rsa, 'r1')]
  published.set(jwksOf(company), { keys }).set(jwksOf(shared), { keys })
  published.set(jwksOf(rival), { keys: [await publicJwk(foreign, 'e1')] })
  const trust = (issuer: string, trustedBy: object) => ({ issuer, jwksUri: jwksOf(issuer), trustedBy: [trustedBy] })
  const issuers = [
    trust(company, { workspace: 'acme' }),
    trust(rival, { workspace: 'other' }),
    trust(shared, { workspace: 'acme', tenant: 'company', subject: 'email' }),
  ]
  const file = join(temporaryFolder(), 'issuers.json')
  writeFileSync(file, JSON.stringify({ issuers }))
  world = await mcpLoginWorld({ TRUSTED_ISSUERS_FILE: file }, adapters())
  const { clients } = world.platform.adapters
  const secretHash = hashOf(client.client_secret)
  await clients.add({ clientId: client.client_id, name: 'Wiki', redirectUris: [], secretHash })
  await clients.add({ clientId: 'public', name: 'Public', redirectUris: [callback], secretHash: undefined })
  await world.login(person)
  await world.login({ id: person.label, label: person.label })
})
beforeEach(() => {
  asked = []
})
afterAll(() => world.close())

type Claims = Record<string, unknown>
const now = () => Math.floor(Date.now() / 1000)
const claimsOf = (more: Claims = {}) => {
  const about: Claims = {
    iss: company,
    sub: person.id,
    aud: world.origin,
    client_id: client.client_id,
    jti: randomUUID(),
  }
  return { ...about, iat: now(), exp: now() + 300, resource: world.mcpUrl, scope: 'tools:read tools:write', ...more }
}
const header = { alg: 'ES256', kid: 'e1', typ: 'oauth-id-jag+jwt' }
const sign = (claims: Claims = claimsOf(), more: object = {}, key: Parameters<SignJWT['sign']>[0] = ec.privateKey) =>
  new SignJWT(claims).setProtectedHeader({ ...header, ...more }).sign(key)

const extended = () =>
  new SignJWT(claimsOf())
    .setProtectedHeader({ ...header, crit: ['x'], x: 1 })
    .sign(ec.privateKey, { crit: { x: true } })

async function present(assertion: string, more: object = {}, at = world.origin) {
  const body = new URLSearchParams({ grant_type: grantType, assertion, ...client, ...more })
  const answer = await fetch(`${at}/oauth/token`, { method: 'POST', body })
  return { status: answer.status, body: (await answer.json()) as Record<string, string> }
}
const errorOf = async (...how: Parameters<typeof present>) => (await present(...how)).body.error

test('the metadata names the grant type and its profile', async () => {
  const metadata = await (await fetch(`${world.origin}/.well-known/oauth-authorization-server`)).json()

  expect(metadata).toMatchObject({
    grant_types_supported: expect.arrayContaining([grantType]),
    authorization_grant_profiles_supported: ['urn:ietf:params:oauth:grant-profile:id-jag'],
  })
})

describe('an assertion', () => {
  test('gives a token for the function it names, without a refresh token, and the keys are read once', async () => {
    const { status, body } = await present(await sign())
    await present(await sign(claimsOf(), { alg: 'RS256', kid: 'r1' }, rsa.privateKey))

    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type'])
    expect((await mcpApp(world, 'wiki').ask(body.access_token, rpc('list_files'))).status).toBe(200)
    expect(asked).toHaveLength(1)
  })

  test.each<[what: string, claims: Claims, parameters: Record<string, string>, scope: string]>([
    ['all its scopes', {}, {}, 'tools:read tools:write'],
    ['what the request and it have in common', {}, { scope: 'tools:write' }, 'tools:write'],
    ['no more than it has', { scope: 'tools:read' }, { scope: 'tools:read tools:write' }, 'tools:read'],
    ['none of other servers', { scope: 'chat.read tools:read admin' }, {}, 'tools:read'],
    ['reading, if it names no scope', { scope: undefined }, { scope: 'tools:read tools:write' }, 'tools:read'],
  ])('gives %s', async (_what, claims, parameters, scope) => {
    expect((await present(await sign(claimsOf(claims)), parameters)).body.scope).toBe(scope)
  })

  test.each<[string, () => Claims, () => object]>([
    ['its audience in a list', () => ({ aud: [world.origin] }), () => ({})],
    ['its resource in a list', () => ({ resource: [world.mcpUrl] }), () => ({})],
    [
      'several resources, of which the request names one',
      () => ({ resource: ['https://else.example', world.mcpUrl] }),
      () => ({ resource: world.mcpUrl }),
    ],
    ['all functions of its person as its resource', () => ({ resource: `${world.origin}/acme/mcp` }), () => ({})],
    ['the workspace as its tenant here', () => ({ aud_tenant: 'acme' }), () => ({})],
    [
      'the tenant of a shared issuer, whose users are known by email',
      () => ({ iss: shared, tenant: 'company', sub: 'U1', email: person.label, email_verified: true }),
      () => ({}),
    ],
  ])('may have %s', async (_what, claims, parameters) => {
    expect((await present(await sign(claimsOf(claims())), parameters())).status).toBe(200)
  })

  test('is accepted from a client with a metadata document that signs its requests', async () => {
    const jwks = { keys: [await publicJwk(rsa, 'c1')] }
    const document = { client_id: documentId, client_name: 'App', redirect_uris: [callback], jwks }
    const method = { token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'RS256' }
    published.set(documentId, { ...document, ...method, grant_types: ['authorization_code', grantType] })
    const about = { iss: documentId, sub: documentId, aud: world.origin, jti: randomUUID(), exp: now() + 60 }
    const client_assertion = await new SignJWT(about)
      .setProtectedHeader({ alg: 'RS256', kid: 'c1' })
      .sign(rsa.privateKey)
    const client_assertion_type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'
    const body = { grant_type: grantType, client_id: documentId, client_assertion_type, client_assertion }

    const assertion = await sign(claimsOf({ client_id: documentId }))
    const answer = await fetch(`${world.origin}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({ ...body, assertion }),
    })

    expect([answer.status, await answer.json()]).toMatchObject([200, { token_type: 'Bearer' }])
  })
})

describe('no token', () => {
  test.each<[string, () => Promise<string>]>([
    ['from an unknown issuer', () => sign(claimsOf({ iss: 'https://evil.example' }), {}, foreign.privateKey)],
    ['without an issuer', () => sign(claimsOf({ iss: undefined }))],
    ['from an issuer that differs by a slash', () => sign(claimsOf({ iss: `${company}/` }))],
    ['from the issuer of another workspace', () => sign(claimsOf({ iss: rival }), {}, foreign.privateKey)],
    ['by the key of another issuer', () => sign(claimsOf(), {}, foreign.privateKey)],
    [
      'from another tenant of a shared issuer',
      () => sign(claimsOf({ iss: shared, tenant: 'rival', email: person.label })),
    ],
    ['from no tenant of a shared issuer', () => sign(claimsOf({ iss: shared, email: person.label }))],
    ['from a tenant of an issuer that should have none', () => sign(claimsOf({ tenant: 'company' }))],
    ['for another audience', () => sign(claimsOf({ aud: 'https://else.example' }))],
    ['for two audiences', () => sign(claimsOf({ aud: [world.origin, 'https://else.example'] }))],
    ['for the token endpoint', () => sign(claimsOf({ aud: `${world.origin}/oauth/token` }))],
    ['for no audience', () => sign(claimsOf({ aud: undefined }))],
    ['for another client', () => sign(claimsOf({ client_id: 'other' }))],
    ['for no client', () => sign(claimsOf({ client_id: undefined }))],
    ['for another workspace here', () => sign(claimsOf({ aud_tenant: 'other' }))],
    ['for no resource', () => sign(claimsOf({ resource: undefined }))],
    ['for the platform', () => sign(claimsOf({ resource: world.origin }))],
    ['for another server', () => sign(claimsOf({ resource: 'https://else.example/mcp' }))],
    ['for an unknown function', () => sign(claimsOf({ resource: world.mcpUrl.replace('files', 'unknown') }))],
    ['for an unknown person', () => sign(claimsOf({ sub: 'person-2' }))],
    ['for nobody', () => sign(claimsOf({ sub: undefined }))],
    ['for a person without an email address', () => sign(claimsOf({ iss: shared, tenant: 'company' }))],
    [
      'for an email address that is not verified',
      () => sign(claimsOf({ iss: shared, tenant: 'company', email: person.label, email_verified: false })),
    ],
    ['without a scope of functions', () => sign(claimsOf({ scope: 'admin' }))],
    ['after its end', () => sign(claimsOf({ iat: now() - 400, exp: now() - 60 }))],
    ['without an end', () => sign(claimsOf({ exp: undefined }))],
    ['that lasts an hour', () => sign(claimsOf({ exp: now() + 3_600 }))],
    ['that is backdated to last an hour', () => sign(claimsOf({ iat: now() - 3_300, exp: now() + 300 }))],
    ['without a start', () => sign(claimsOf({ iat: undefined }))],
    ['from the future', () => sign(claimsOf({ iat: now() + 120, exp: now() + 300 }))],
    ['that is not valid yet', () => sign(claimsOf({ nbf: now() + 120 }))],
    ['without an ID', () => sign(claimsOf({ jti: undefined }))],
    ['with a number as its ID', () => sign(claimsOf({ jti: 7 }))],
    ['that is bound to a key', () => sign(claimsOf({ cnf: { jkt: 'x' } }))],
    ['with details that we do not enforce', () => sign(claimsOf({ authorization_details: [{ type: 'x' }] }))],
    ['of no type', () => sign(claimsOf(), { typ: undefined })],
    ['of the type of an ID token', () => sign(claimsOf(), { typ: 'JWT' })],
    ['of the type of an access token', () => sign(claimsOf(), { typ: 'at+jwt' })],
    ['without a signature', async () => new UnsecuredJWT(claimsOf()).encode()],
    [
      'without a signature, but with the type',
      async () =>
        `${Buffer.from(JSON.stringify({ ...header, alg: 'none' })).toString('base64url')}.${(await sign()).split('.')[1]}.`,
    ],
    [
      'by the public key as a shared secret',
      async () => sign(claimsOf(), { alg: 'HS256', kid: 'r1' }, Buffer.from(await exportSPKI(rsa.publicKey))),
    ],
    [
      'by the modulus of the key as a shared secret',
      async () =>
        sign(
          claimsOf(),
          { alg: 'HS256', kid: 'r1' },
          Buffer.from((await exportJWK(rsa.publicKey)).n ?? '', 'base64url'),
        ),
    ],
    [
      'by a key that it brings along',
      async () => sign(claimsOf(), { jwk: await exportJWK(foreign.publicKey) }, foreign.privateKey),
    ],
    ['by a key at an address that it names', () => sign(claimsOf(), { jku: jwksOf(rival) }, foreign.privateKey)],
    ['by a key with the ID of a key of another type', () => sign(claimsOf(), { kid: 'r1' })],
    ['by an unknown key', () => sign(claimsOf(), { kid: 'unknown' }, foreign.privateKey)],
    ['with an extension that we do not know', () => extended()],
    [
      'that is changed',
      async () =>
        (await sign()).replace(
          /\.[^.]+\./,
          `.${Buffer.from(JSON.stringify(claimsOf({ sub: 'x' }))).toString('base64url')}.`,
        ),
    ],
    ['that is no JWT', async () => 'a.b.c'],
    ['that is encrypted', async () => 'a.b.c.d.e'],
    ['that is too long', () => sign(claimsOf({ padding: 'x'.repeat(8_192) }))],
  ])('%s: invalid_grant', async (_what, assertion) => {
    const { status, body } = await present(await assertion())

    expect([status, body.error]).toEqual([400, 'invalid_grant'])
    expect(body.error_description).toBeTruthy()
    expect(asked.filter((uri) => uri.includes('evil'))).toEqual([])
  })

  test.each<[string, () => Promise<string>, object, string]>([
    [
      'for a scope that it lacks',
      () => sign(claimsOf({ scope: 'tools:read' })),
      { scope: 'tools:write' },
      'invalid_scope',
    ],
    ['for an unknown scope', () => sign(), { scope: 'everything' }, 'invalid_scope'],
    ['for a resource that it lacks', () => sign(), { resource: 'https://else.example' }, 'invalid_target'],
    [
      'for one of several resources',
      () => sign(claimsOf({ resource: ['https://a.example', 'https://b.example'] })),
      {},
      'invalid_target',
    ],
    ['with a wrong secret', () => sign(), { client_secret: 'wrong' }, 'invalid_client'],
    [
      'for a client without a secret',
      () => sign(claimsOf({ client_id: 'public' })),
      { client_id: 'public', client_secret: '' },
      'unauthorized_client',
    ],
    ['without an assertion', async () => '', {}, 'invalid_request'],
    ['that is larger than a request', () => sign(claimsOf({ padding: 'x'.repeat(40_000) })), {}, 'invalid_request'],
  ])('%s: the error of the RFC', async (_what, assertion, parameters, error) => {
    expect(await errorOf(await assertion(), parameters)).toBe(error)
  })

  test('while the keys of the issuer cannot be read, and a later request with the same assertion gets one', async () => {
    const at = await processAfter(() => published.delete(jwksOf(company)))
    const assertion = await sign()

    const early = await present(assertion, {}, at.url)
    published.set(jwksOf(company), at.keys)
    const later = await present(assertion)

    expect([early.status, early.body.error, later.status]).toEqual([503, 'temporarily_unavailable', 200])
  })

  async function processAfter(change: () => void) {
    const keys = published.get(jwksOf(company)) ?? {}
    change()
    return { url: await twin(), keys }
  }
})

async function twin(): Promise<string> {
  const other = await world.twin(adapters())
  onTestFinished(other.close)
  return new URL(await other.listen()).origin
}

describe('an assertion is used once', () => {
  test('by parallel requests at three processes, and by a later one', async () => {
    const origins = [world.origin, await twin(), await twin()]
    const assertion = await sign()

    const answers = await Promise.all(Array.from({ length: 30 }, (_, n) => present(assertion, {}, origins[n % 3])))
    const later = await Promise.all(origins.map((origin) => errorOf(assertion, {}, origin)))

    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ body }) => body.error === 'invalid_grant')).toHaveLength(29)
    expect(later).toEqual(['invalid_grant', 'invalid_grant', 'invalid_grant'])
  })

  test('and not used up by requests that are rejected', async () => {
    const assertion = await sign()

    await present(assertion, { client_secret: 'wrong' })
    await present(assertion, { resource: 'https://else.example' })

    expect((await present(assertion)).status).toBe(200)
  })

  test('whichever issuer gave another the same ID', async () => {
    const jti = randomUUID()
    await present(await sign(claimsOf({ jti })))

    const other = claimsOf({ iss: shared, tenant: 'company', email: person.label, jti })

    expect((await present(await sign(other))).status).toBe(200)
  })
})
