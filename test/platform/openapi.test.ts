import request from 'supertest'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type PlatformWorld, platformWorld } from '../support/platform-world.ts'

let world: PlatformWorld

beforeAll(async () => {
  world = await platformWorld()
})

afterAll(() => world.close())

type Described = {
  operationId: string
  security: unknown
  parameters: Array<{ name: string; in: string }>
  responses: object
}

test.each(['/openapi.json', '/v0/openapi.json'])('%s describes every operation, once', async (path) => {
  const { body } = await request(world.app).get(path)

  const described = Object.entries<Record<string, Described>>(body.paths).flatMap(([at, methods]) =>
    Object.keys(methods).map((method) => `${method} ${at}`),
  )
  const served = world.operations.map((each) => `${each.method} ${each.path.replace(/:(\w+)/g, '{$1}')}`)
  expect(body.openapi).toBe('3.1.0')
  expect(described.sort()).toEqual(served.sort())
})

test('operations have ids of their own, scopes, and every parameter of their path', async () => {
  const { body } = await request(world.app).get('/openapi.json')
  const operations = Object.entries<Record<string, Described>>(body.paths).flatMap(([path, methods]) =>
    Object.values(methods).map((operation) => ({ path, ...operation })),
  )

  expect(new Set(operations.map(({ operationId }) => operationId)).size).toBe(operations.length)
  for (const { path, parameters, security } of operations) {
    const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => name)
    expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    expect(security).toEqual([{ oauth: [expect.any(String)] }, { apiKey: [] }])
  }
})

test('the drive listing has its query, and a body has its rules', async () => {
  const { body } = await request(world.app).get('/openapi.json')

  const { parameters } = body.paths['/drives'].get
  const schema = body.paths['/drives'].post.requestBody.content['application/json'].schema
  const names = parameters.map(({ name }: { name: string }) => name)
  expect(names).toEqual(['cursor', 'limit', 'sort', 'q', 'anchor', 'Service-Version', 'X-Service-Workspace'])
  expect(schema.properties.metadata.properties.name.maxLength).toBe(49)
})
