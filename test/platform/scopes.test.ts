// The scope table of the interface document, written out by hand from it: our own list is what is tested.
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { platformWorld } from '../support/worlds/platform-world.ts'

const table: Record<string, string> = {
  agents: 'create, delete, get, list, update',
  apiKey: 'list, write',
  configurations: 'list',
  customdomains: 'create, delete, get, list, update',
  functions: 'create, delete, get, list, update',
  integrations: 'create, list',
  invitations: 'list',
  jobs: 'create, delete, get, list, update',
  locations: 'list',
  mcphub: 'list',
  models: 'create, delete, get, list, update',
  policies: 'create, delete, get, list, update',
  sandboxes: 'control, create, delete, get, list, update',
  sandboxhub: 'list',
  templates: 'get, list',
  volumeTemplates: 'create, delete, get, list, upsert',
  volumes: 'create, delete, get, list',
  workspaces: 'accept, create, decline, delete, get, invite, leave, list, remove, update',
}

const scopes = [
  'admin',
  ...Object.entries(table).flatMap(([resource, actions]) =>
    actions.split(', ').map((action) => `${resource}:${action}`),
  ),
]

const world = await platformWorld()
await world.addServiceAccount('robot', 'admin', 'a-secret-of-the-robot')

afterAll(() => world.close())

test('every documented scope is listed, described and granted', async () => {
  const discovery = await request(world.app).get('/.well-known/openid-configuration')
  const openapi = await request(world.app).get('/openapi.json')
  const token = await request(world.app)
    .post('/oauth/token')
    .send({
      grant_type: 'client_credentials',
      client_id: 'robot',
      client_secret: 'a-secret-of-the-robot',
      scope: scopes.join(' '),
    })

  const { flows } = openapi.body.components.securitySchemes.oauth
  expect(scopes.length).toBe(67)
  expect(discovery.body.scopes_supported).toEqual(expect.arrayContaining(scopes))
  for (const flow of [flows.authorizationCode, flows.clientCredentials])
    expect(Object.keys(flow.scopes)).toEqual(expect.arrayContaining(scopes))
  expect([token.status, token.body.scope.split(' ').sort()]).toEqual([200, [...scopes].sort()])
})

test('every documented scope except two is required by an operation', async () => {
  const { body } = await request(world.app).get('/openapi.json')
  const methods = Object.values<Record<string, { security: Array<{ oauth?: string[] }> }>>(body.paths)
  const asked = new Set(
    methods.flatMap((each) => Object.values(each).flatMap(({ security }) => security[0]?.oauth ?? [])),
  )

  // The document shows no endpoint of either.
  expect(scopes.filter((scope) => !asked.has(scope))).toEqual(['admin', 'mcphub:list', 'sandboxhub:list'])
})
