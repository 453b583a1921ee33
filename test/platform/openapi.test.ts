import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { inlineSchemas } from '../../src/kit/http/openapi/inline-schemas.ts'
import { lintComplaints } from '../support/oracles/openapi-linter.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const world = await platformWorld()

afterAll(() => world.close())

/** With its named schemas where they are used. */
async function writtenOut() {
  const { body } = await request(world.app).get('/openapi.json')
  return inlineSchemas(body, body)
}

type Operation = {
  servers?: object[]
  operationId: string
  security: unknown
  parameters: Array<{ name: string; in: string }>
  responses: object
}

test.each(['/openapi.json', '/v0/openapi.json'])('%s describes every operation below /v0 once', async (path) => {
  const { body } = await request(world.app).get(path)

  const described = Object.entries<Record<string, Operation>>(body.paths).flatMap(([at, methods]) =>
    Object.entries(methods).flatMap(([method, { servers }]) => (servers ? [] : [`${method} ${at}`])),
  )
  const served = world.operations.map((each) => `${each.method} ${each.path}`)
  expect(body.openapi).toBe('3.1.0')
  expect(described.sort()).toEqual(served.sort())
})

test('the OpenAPI document passes the linter', { timeout: 300_000 }, async () => {
  const { body } = await request(world.app).get('/openapi.json')
  // The linter rejects loopback servers.
  const document = JSON.parse(JSON.stringify(body).replaceAll(/http:\/\/[\w.:-]+/g, 'https://platform.acme.dev'))

  // Paths of the API and of workloads look alike, but have different servers.
  expect(await lintComplaints(document, ['no-ambiguous-paths'])).toEqual([])
})

test('operations have unique IDs, scopes, and all their path parameters', async () => {
  const { body } = await request(world.app).get('/openapi.json')
  const operations = Object.entries<Record<string, Operation>>(body.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )

  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, parameters, security } of operations) {
    const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    const byToken = [{ oauth: [expect.any(String)] }, { apiKey: [] }, { brandedApiKey: [] }]
    expect(security).toEqual(/^\/(oauth|\.well-known)\//.test(path) ? [] : byToken)
  }
})

test('the drive list has its query, and a body has its constraints', async () => {
  const body = await writtenOut()

  const { parameters } = body.paths['/drives'].get
  const schema = body.paths['/drives'].post.requestBody.content['application/json'].schema
  const names = parameters.map(({ name }: { name: string }) => name)
  const own = ['cursor', 'limit', 'sort', 'q', 'anchor']
  expect(names).toEqual([...own, 'workspace', 'Service-Version', 'X-Service-Workspace'])
  expect(schema.properties.metadata.properties.name.maxLength).toBe(49)
})

test('the description of a deleted drive matches its response', async () => {
  const api = world.as(world.admin)
  await api.post('/v0/drives').send({ metadata: { name: 'gone' }, spec: {} })

  const { body: answer } = await api.delete('/v0/drives/gone').expect(200)
  const body = await writtenOut()

  const { responses } = body.paths['/drives/{driveName}'].delete
  expect(responses[200].content['application/json'].schema.required.sort()).toEqual(Object.keys(answer).sort())
})
