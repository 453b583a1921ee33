// Each public address can be set apart; each is that of the program otherwise.
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { readConfig } from '../../src/platform/config.ts'
import { samples } from '../support/worlds/platform-samples.ts'
import { keysOf, platformWorld } from '../support/worlds/platform-world.ts'

const set = {
  API_URL: 'https://api.example.com',
  INFERENCE_URL: 'https://run.example.com',
  AUTH_URL: 'https://login.example.com',
  SANDBOX_DOMAIN: 'boxes.example.com',
}

const world = await platformWorld({ env: set })

afterAll(() => world.close())

const required = { DATABASE_URL: 'postgres://localhost/x', ENCRYPTION_KEYS: `k:${'ab'.repeat(32)}` }

describe('addresses', () => {
  test('default to the public one', () => {
    const { addresses } = readConfig({ ...required, PUBLIC_URL: 'https://platform.example.com/' })

    const whole = 'https://platform.example.com'
    expect(addresses).toEqual({ api: whole, inference: whole, auth: whole, sandboxDomain: undefined })
  })

  test.each([
    ['API_URL', 'ftp://x'],
    ['INFERENCE_URL', 'nowhere'],
    ['AUTH_URL', 'https://x?y'],
    ['SANDBOX_DOMAIN', 'https://x'],
  ])('rejects %s=%j', (name, value) => {
    expect(() => readConfig({ ...required, [name]: value })).toThrow(name)
  })

  const production = (given: Record<string, string>) => () =>
    readConfig({ ...required, NODE_ENV: 'production', ENCRYPTION_KEYS: keysOf(world), ...given })

  test.each([
    ['PUBLIC_URL', 'http://platform.example'],
    ['AUTH_URL', 'http://login.example'],
    ['API_URL', 'http://api.example'],
    ['INFERENCE_URL', 'http://run.example'],
    ['TRUST_PROXY', 'everything'],
    ['TRUST_PROXY', '0.0.0.0/0'],
    ['EGRESS_ALLOW', 'http://x'],
    ['MODEL_EGRESS_ALLOW', 'x'],
    ['CLIENT_DOCUMENT_EGRESS_ALLOW', 'https://x:1'],
    ['MCP_EGRESS_ALLOW', '*'],
  ])('T8: in production %s rejects %j', (name, value) => {
    expect(production({ [name]: value })).toThrow(`${name}: `)
  })

  test('T8: in production a URL without TLS is on loopback or its host is listed', () => {
    const named = { PUBLIC_URL: 'http://platform:3000', INSECURE_HTTP_HOSTS: 'platform' }

    expect(production({ PUBLIC_URL: 'http://platform.localhost:8080' })().addresses.auth).toContain('localhost')
    expect(production(named)().addresses.auth).toBe('http://platform:3000')
  })

  test.each([
    ['function', 'https://run.example.com/acme/functions/one'],
    ['agent', 'https://run.example.com/acme/agents/one'],
    ['model', 'https://run.example.com/acme/models/one'],
    ['job', 'https://api.example.com/acme/jobs/one'],
    ['drive', 'https://api.example.com/v0/drives/one'],
    ['sandbox', 'https://sbx-one-acme.local.boxes.example.com'],
  ])('of a %s are in its metadata', async (kind, url) => {
    const { path, spec } = samples[kind]!

    const { body } = await world
      .as(world.admin)
      .post(`/v0${path}`)
      .send({ metadata: { name: 'one' }, spec })

    expect(body.metadata.url).toBe(url)
  })

  test('of a sandbox with too long a host name are paths', async () => {
    const name = `b${'-x'.repeat(24)}`
    const { body } = await world.as(world.admin).post('/v0/sandboxes').send({ metadata: { name }, spec: {} })
    const long = await world.enter('a-workspace-with-a-long-name', 'user@acme.example')
    const { body: longer } = await world.as(long).post('/v0/sandboxes').send({ metadata: { name }, spec: {} })

    expect(body.metadata.url).toBe(`https://sbx-${name}-acme.local.boxes.example.com`)
    expect(longer.metadata.url).toBe(`https://run.example.com/a-workspace-with-a-long-name/sandboxes/${name}`)
  })

  test('are in the discovery document', async () => {
    const { body } = await request(world.app).get('/.well-known/openid-configuration')

    expect(body).toMatchObject({
      issuer: 'https://login.example.com',
      authorization_endpoint: 'https://login.example.com/oauth/authorize',
      token_endpoint: 'https://login.example.com/oauth/token',
      jwks_uri: 'https://login.example.com/oauth/jwks',
    })
  })

  test('are in the OpenAPI document', async () => {
    const { body } = await request(world.app).get('/openapi.json')
    const serverOf = (method: string, path: string) => body.paths[path][method].servers[0].url

    expect(body.servers).toEqual([{ url: 'https://api.example.com/v0' }])
    expect(serverOf('post', '/{workspace}/agents/{agent}')).toBe('https://run.example.com')
    expect(serverOf('post', '/{workspace}/jobs/{job}/executions')).toBe('https://api.example.com')
    expect(serverOf('post', '/oauth/token')).toBe('https://login.example.com')
    expect(body.components.securitySchemes.oauth.flows.clientCredentials.tokenUrl).toBe(
      'https://login.example.com/oauth/token',
    )
  })

  test('a token of the issuer is valid at the other addresses', async () => {
    await world.addServiceAccount('robot', 'admin', 'a-secret-of-the-robot')

    const { body: token } = await request(world.app)
      .post('/oauth/token')
      .type('form')
      .send({ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'a-secret-of-the-robot' })
    const drives = await request(world.app).get('/v0/drives').auth(token.access_token, { type: 'bearer' })

    expect(drives.status).toBe(200)
  })
})
