// The platform's OpenAPI document must contain every operation of the interface document, listed here by hand.
// Decisions that the interface document leaves open have their own list.
import request from 'supertest'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Discovery, Jwks } from '../../src/contract/identity/oauth.ts'
import { inlineSchemas } from '../../src/kit/http/openapi/inline-schemas.ts'
import { type PlatformWorld, platformWorld } from '../support/worlds/platform-world.ts'

type Parameter = { name: string; in: string; required: boolean; schema: Record<string, unknown> }
type Answer = { headers?: Record<string, object>; content: { 'application/json': { schema: object } } }
type Operation = {
  parameters: Parameter[]
  requestBody?: { content: { 'application/json': { schema: object } } }
  responses: Record<string, Answer>
}

let world: PlatformWorld
/** As it is served, and with its named schemas written out where they are used. */
let served: typeof document
let document: {
  paths: Record<string, Record<string, Operation>>
  webhooks: { callback: { post: Operation } }
  components: { securitySchemes: Record<string, object>; schemas: object; headers: object }
}

beforeAll(async () => {
  world = await platformWorld()
  served = (await request(world.app).get('/openapi.json')).body
  document = inlineSchemas(served, served)
})
afterAll(() => world.close())

const described = (method: string, path: string): Operation => document.paths[path]?.[method] as Operation
const named = ({ parameters }: Operation, place: string) =>
  parameters.filter((parameter) => parameter.in === place).map(({ name }) => name)

const documentedEndpoints = [
  ['post', '/vpcs/{vpcName}/egressgateways/{gatewayName}/ips'],
  ['get', '/jobs/{jobId}'],
  ['get', '/jobs/{jobId}/executions/{executionId}'],
  ['get', '/drives'],
  ['put', '/drives/{driveName}'],
  ['delete', '/volumes/{volumeName}'],
  ['delete', '/workspaces/{workspaceName}'],
  ['get', '/templates/{templateName}'],
  ['get', '/templates'],
  ['post', '/integrations/connections'],
  ['post', '/functions'],
  ['get', '/accounts'],
  ['get', '/accounts/{accountId}/metrics'],
  ['get', '/models'],
  ['get', '/agents'],
  ['post', '/{workspace}/agents/{agent}'],
  ['post', '/{workspace}/models/{model}/chat/completions'],
  ['post', '/{workspace}/models/{model}'],
  ['post', '/{workspace}/functions/{server}/mcp'],
  ['post', '/{workspace}/sandboxes/{sandbox}/mcp'],
  ['get', '/{workspace}/sandboxes/{sandbox}/filesystem/tree/{path}'],
  ['post', '/{workspace}/jobs/{job}/executions'],
  ['post', '/{workspace}/jobs/{job}'],
  ['post', '/{workspace}/jobs/{job}/{path}'],
  ['post', '/oauth/token'],
  ['post', '/oauth/device/code'],
  ['get', '/oauth/jwks'],
  ['get', '/.well-known/openid-configuration'],
  ['get', '/.well-known/oauth-authorization-server'],
] as const

test.each(documentedEndpoints)('%s %s is described', (method, path) => {
  expect(described(method, path)).toMatchObject({ responses: { 200: expect.anything(), default: expect.anything() } })
})

const listing = ['cursor', 'limit', 'sort', 'q', 'anchor']
const metrics = [
  ...['startTime', 'endTime', 'resolution', 'groupBy', 'workspace', 'resourceType', 'resourceName'],
  ...['resourceUuid', 'billingDimension', 'limit', 'cursor'],
]

describe('query parameters', () => {
  test.each([
    // Shown.
    ['get', '/drives', listing],
    ['get', '/jobs/{jobId}', ['show_secrets']],
    ['get', '/workspaces/{workspaceName}', ['countResources']],
    ['get', '/accounts/{accountId}/metrics', metrics],
    // Decided.
    ...['agents', 'functions', 'jobs', 'models', 'policies', 'sandboxes', 'volumes'].map(
      (kind) => ['get', `/${kind}`, listing] as const,
    ),
    ['get', '/jobs/{jobId}/executions', ['limit', 'cursor']],
    ['get', '/jobs/{jobId}/executions/{executionId}/tasks', ['limit', 'cursor']],
    ['get', '/audit', ['cursor', 'limit']],
    ['post', '/{workspace}/agents/{agent}', ['async']],
    ['get', '/oauth/authorize', ['client_id', 'response_type', 'redirect_uri', 'scope', 'state', 'code_challenge']],
  ] as const)('%s %s has all of them', (method, path, expected) => {
    expect(named(described(method, path), 'query')).toEqual(expect.arrayContaining([...expected]))
  })

  test('only metrics (their window), ends of logins (end user), searches and parts of uploads require query parameters', () => {
    const below = Object.entries(document.paths).filter(([path]) => !path.startsWith('/oauth/'))
    const required = below.flatMap(([path, methods]) =>
      Object.values(methods)
        .flatMap(({ parameters }) => parameters)
        .filter((parameter) => parameter.in === 'query' && parameter.required)
        .map(({ name }) => `${path} ${name}`),
    )

    expect(required).toEqual([
      '/functions/{functionName}/logins endUserId',
      '/accounts/{accountId}/metrics startTime',
      '/accounts/{accountId}/metrics endTime',
      '/accounts/{accountId}/metrics/enums/resource-types startTime',
      '/accounts/{accountId}/metrics/enums/resource-types endTime',
      '/{workspace}/sandboxes/{sandbox}/filesystem-content-search/{path} query',
      '/{workspace}/sandboxes/{sandbox}/filesystem-multipart/{upload}/part partNumber',
    ])
  })

  test('have their constraints', () => {
    const rules = (method: string, path: string) =>
      Object.fromEntries(described(method, path).parameters.map(({ name, schema }) => [name, schema]))

    expect(rules('get', '/drives')).toMatchObject({
      sort: { enum: ['createdAt:desc', 'createdAt:asc', 'name:asc', 'name:desc'] },
      q: { type: 'string', maxLength: 200 },
      anchor: { const: 'end' },
    })
    expect(rules('get', '/drives').sort).toMatchObject({ default: 'createdAt:desc' })
    expect(rules('get', '/jobs/{jobId}').show_secrets).toEqual({ type: 'boolean' })
    expect(rules('get', '/accounts/{accountId}/metrics').resolution).toMatchObject({
      enum: ['hourly', 'daily', 'weekly', 'monthly'],
    })
  })
})

describe('numbers', () => {
  const lists = ['drives', 'agents', 'functions', 'jobs', 'models', 'policies', 'sandboxes', 'volumes']
  const limits = [
    ...lists.map((list) => [`/${list}`, 200, 50] as const),
    ['/audit', 200, 50],
    ['/jobs/{jobId}/executions', 100, 20],
    ['/jobs/{jobId}/executions/{executionId}/tasks', 100, 20],
    ['/accounts/{accountId}/metrics', 100, 100],
  ] as const

  test.each(limits)('the limit of %s is an integer from 1 to %i, with the default %i', (path, maximum, usual) => {
    const limit = described('get', path).parameters.find(({ name }) => name === 'limit')

    expect(limit).toMatchObject({ description: `Values above ${maximum} are treated as ${maximum}.` })
    expect(limit?.schema).toEqual({ type: 'integer', minimum: 1, maximum, default: usual })
  })

  test('no other query parameter hides an integer behind a pattern', () => {
    const queries = Object.values(document.paths)
      .flatMap((methods) => Object.values(methods))
      .flatMap(({ parameters }) => parameters.filter((parameter) => parameter.in === 'query'))

    const digits = queries.filter(({ schema }) => String(schema.pattern).includes('[0-9]+$'))

    expect(digits.map(({ name }) => name)).toEqual([])
  })
})

describe('lists', () => {
  const executions = '/jobs/{jobId}/executions'
  const paged = [
    ...['/drives', '/agents', '/functions', '/jobs', '/models', '/policies', '/sandboxes', '/volumes'],
    ...[executions, `${executions}/{executionId}/tasks`],
  ]

  test.each(paged)('%s returns a page or an array, described by version', (path) => {
    const { schema } = (described('get', path).responses[200] as Answer).content['application/json']

    expect((schema as { oneOf?: object[] }).oneOf).toMatchObject([
      {
        description: expect.stringContaining('From 2026-04-28'),
        required: ['data', 'meta'],
        properties: { meta: { required: ['hasMore', 'nextCursor', 'total'] } },
      },
      { description: expect.stringContaining('Before 2026-04-28'), type: 'array' },
    ])
  })

  test.each(['/integrations/connections', '/workspaces', '/templates', '/vpcs', '/egressips'])(
    '%s returns an array at every version',
    (path) => {
      expect(described('get', path).responses[200]?.content['application/json'].schema).toMatchObject({ type: 'array' })
    },
  )
})

test('responses for keys and discovery match their description', async () => {
  const keys = await request(world.app).get('/oauth/jwks')
  const discovery = await request(world.app).get('/.well-known/openid-configuration')

  expect(Jwks.safeParse(keys.body).error).toBeUndefined()
  expect(keys.body.keys.length).toBeGreaterThan(0)
  expect(Discovery.safeParse(discovery.body).error).toBeUndefined()
})

describe('headers', () => {
  test('every operation below /v0 accepts the version, with the dates and the default', () => {
    for (const { method, path } of world.operations) {
      const { parameters } = described(method, path)
      expect(parameters.find(({ name }) => name === 'Service-Version')?.schema).toEqual({
        type: 'string',
        enum: ['2026-04-16', '2026-04-20', '2026-04-28'],
        default: '2026-04-16',
      })
    }
  })

  test.each(['/integrations/connections', '/functions'])('POST %s accepts the workspace', (path) => {
    expect(named(described('post', path), 'header')).toContain('X-Service-Workspace')
  })

  test('either header accepts the credential', () => {
    expect(Object.values(document.components.securitySchemes)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'http', scheme: 'bearer' }),
        expect.objectContaining({ type: 'apiKey', in: 'header', name: 'X-Service-Authorization' }),
      ]),
    )
  })

  test('only agents accept a thread', () => {
    const taking = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.values(methods).flatMap((each) =>
        each.parameters.some(({ name }) => name === 'X-Service-Thread-Id') ? [path] : [],
      ),
    )

    expect(taking).toEqual(['/{workspace}/agents/{agent}'])
  })

  test('errors of the gateway are marked, and any error may have Retry-After', () => {
    const gateway = described('post', '/{workspace}/agents/{agent}').responses.default
    const controlPlane = described('post', '/functions').responses.default

    expect(Object.keys(gateway?.headers ?? {})).toEqual([
      'X-Service-Source',
      'X-Service-Error-Code',
      'Retry-After',
      'WWW-Authenticate',
    ])
    expect(Object.keys(controlPlane?.headers ?? {})).toEqual(['Retry-After', 'WWW-Authenticate'])
  })

  test('a callback has a signature and a timestamp', () => {
    expect(named(document.webhooks.callback.post, 'header')).toEqual(['X-Service-Timestamp', 'X-Service-Signature'])
  })
})

test('every reference points to a schema or header of the document', () => {
  const references = [...JSON.stringify(served).matchAll(/"\$ref":"([^"]*)"/g)].map(([, to]) => to as string)
  const known = (['schemas', 'headers'] as const).flatMap((kind) =>
    Object.keys(served.components[kind]).map((name) => `#/components/${kind}/${name}`),
  )

  expect(references.length).toBeGreaterThan(0)
  expect(references.filter((reference) => !known.includes(reference))).toEqual([])
})

test('every documented gateway URL is served', async () => {
  const addresses = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) => (path.startsWith('/{workspace}/') ? [[method, path] as const] : [])),
  )

  const codes = await Promise.all(
    addresses.map(async ([method, path]) => {
      const address = path.replace('{port}', '80').replace(/\{(\w+)\}/g, 'thing')
      const { body } = await request(world.app)[method as 'get' | 'post' | 'delete'](address)
      return [path, body.error.code]
    }),
  )

  expect(addresses.length).toBeGreaterThan(10)
  expect(codes.filter(([, code]) => code !== 'AUTHENTICATION_REQUIRED')).toEqual([])
})
