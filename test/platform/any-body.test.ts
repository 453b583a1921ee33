// No JSON body may cause a 5xx.
import fc from 'fast-check'
import request from 'supertest'
import { afterAll, expect, test } from 'vitest'
import { createRedisDatabase } from '../support/processes/stores.ts'
import { samples } from '../support/worlds/platform-samples.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

type Door = { method: 'post' | 'put'; path: string; headers?: Record<string, string> }

const client = { client_id: 'robot', client_secret: 'robot-secret' }
const mcp = { Accept: 'application/json, text/event-stream' }
/** Creates the resources that the paths name. */
const names: Record<string, string> = {
  workspaceName: 'acme',
  vpcName: 'net',
  gatewayName: 'gate',
  clientId: 'robot',
  subOrEmail: 'user@acme.example',
}
afterAll(async () => {
  await world.close()
})

const named = (path: string) => path.replace(/\{(\w+)\}/g, (_, parameter) => names[parameter] ?? 'fine')

const oauth: Door[] = ['token', 'device/code', 'revoke', 'authorize', 'userinfo'].map((end) => ({
  method: 'post',
  path: `/oauth/${end}`,
}))

const gateway: Door[] = [
  { method: 'post', path: '/acme/agents/fine' },
  { method: 'post', path: '/acme/agents/fine', headers: { 'X-Service-Thread-Id': 'thread' } },
  { method: 'post', path: '/acme/agents/fine?async=true' },
  { method: 'post', path: '/acme/models/fine/chat/completions' },
  { method: 'post', path: '/acme/functions/fine/mcp', headers: mcp },
  { method: 'post', path: '/acme/sandboxes/fine/mcp', headers: mcp },
  { method: 'post', path: '/mcp', headers: { ...mcp, Host: 'sbx-fine-acme.local.sandboxes.example' } },
  { method: 'post', path: '/acme/jobs/fine/executions' },
  { method: 'post', path: '/acme/jobs/fine/hook' },
]

async function fill() {
  const create = (path: string, body: object) => world.as(world.admin).post(`/v0${path}`).send(body)
  for (const { path, parents = [], spec } of Object.values(samples)) {
    for (const parent of parents) await create(parent.path, parent.body)
    await create(path, { metadata: { name: 'fine' }, spec: { ...spec, triggers } }).expect(200)
  }
}

const triggers = [{ type: 'http-async', configuration: { path: '/hook' } }]

const redisUrl = await createRedisDatabase()
const world = await platformWorld({ env: { REDIS_URL: redisUrl } })
await world.join('acme', 'user@acme.example', 'member')
await world.addServiceAccount('robot', 'admin', 'robot-secret')
await fill()
const operations = world.operations.flatMap(({ method, path }) =>
  method === 'post' || method === 'put' ? [{ method, path: `/v0${named(path)}` }] : [],
)
// The gateway first, because later requests may delete its workloads.
const doors = [...gateway, ...oauth, ...operations]
const url = await world.listen()

const resources = Object.values(samples).map(({ path, spec }): [RegExp, object[]] => [
  new RegExp(`^/v0${path}(/[^/]+)?$`),
  [{ metadata: { name: 'fine', displayName: 'Fine', labels: { a: 'b' } }, spec: { ...spec, triggers } }],
])
const message = { jsonrpc: '2.0', id: 1 }
const writing = { name: 'write_file', arguments: { path: 'a', content: 'b' } }

/** By address, bodies that are right there. */
const right: Array<[RegExp, object[]]> = [
  ...resources,
  [/api_keys|service_accounts/, [{ name: 'fine', role: 'member', description: 'A robot', expiresIn: 60 }]],
  [/functions\/[^/]+\/logins$/, [{ endUser: { id: 'user-1', label: 'user@acme.example' }, expiresIn: 60 }]],
  [/repair-tickets$/, [{ ticket: 'a'.repeat(43) }]],
  [/tool-lists/, [{ integration: 'vendor', position: 0, hash: '0'.repeat(64) }]],
  [/users/, [{ email: 'somebody@acme.example', role: 'admin' }]],
  [/workspaces/, [{ name: 'fine', labels: {}, groupMappings: [{ groupName: 'g', role: 'admin' }], runtime: {} }]],
  [/jobs/, [{ tasks: [{ a: 1 }], env: { A: 'b' }, memory: 1, id: 'one', parallelism: 1 }]],
  [/agents/, [{ inputs: 'Hello' }]],
  [/models/, [{ messages: [{ role: 'user', content: 'Hello' }], stream: true }]],
  [
    /mcp$/,
    [
      { ...message, method: 'tools/call', params: writing },
      { ...message, method: 'initialize', params: { protocolVersion: '2025-06-18', capabilities: {} } },
    ],
  ],
  [
    /oauth/,
    [
      { grant_type: 'client_credentials', scope: 'admin', ...client },
      { grant_type: 'refresh_token', refresh_token: 'none', ...client },
      { grant_type: 'authorization_code', code: 'c', redirect_uri: 'http://x', code_verifier: 'v', ...client },
      { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code: 'd', ...client },
      { token: 'none', token_type_hint: 'access_token', response_type: 'code', ...client },
    ],
  ],
]

const odd = fc.constantFrom<fc.JsonValue>(
  ...['', 'a\u0000b', '\ud800', '__proto__', '../..', 'x'.repeat(2_000), '{}', '*/5 * * * *'],
  ...[null, -1, 0, 0.5, 1e308, 2 ** 53, [], {}, [null], [[]], true],
)
const anything = fc.oneof({ weight: 1, arbitrary: fc.jsonValue({ maxDepth: 4 }) }, { weight: 2, arbitrary: odd })

/** A right body with one place changed into anything. */
function nearMiss({ path }: Door) {
  const [, bodies] = right.find(([address]) => address.test(path))!
  return fc.tuple(fc.constantFrom(...bodies), fc.nat(), anything).map(([body, at, value]) => changed(body, at, value))
}

function changed(body: object, at: number, value: unknown): unknown {
  const copy = structuredClone(body)
  const places = placesIn(copy)
  const [holder, name] = places[at % places.length]!
  Object.defineProperty(holder, name, { value, enumerable: true })
  return copy
}

let sent = 0

/** A name that is free where something is created, and the one of the address where something is changed. */
function fitting({ method, path }: Door, body: unknown): string {
  const name = method === 'post' ? `fine-${sent++}` : path.slice(path.lastIndexOf('/') + 1)
  return JSON.stringify(body).replace('"name":"fine"', `"name":"${name}"`)
}

const placesIn = (value: object): Array<[object, string]> =>
  Object.entries(value).flatMap(([name, inner]) => [
    [value, name] as [object, string],
    ...(typeof inner === 'object' && inner !== null ? placesIn(inner) : []),
  ])

const send = ({ method, path, headers = {} }: Door, text: string) =>
  request(url)
    [method](path)
    .set({ 'X-Service-Authorization': `Bearer ${world.admin.key}`, 'X-Service-Workspace': 'acme', ...headers })
    .set('Content-Type', 'application/json')
    .send(text)

test('any JSON body gets a 2xx or a 4xx on every route with a body, and never a 5xx', async () => {
  for (const door of doors) {
    const body = fc.oneof({ weight: 1, arbitrary: anything }, { weight: 3, arbitrary: nearMiss(door) })
    await fc.assert(
      fc.asyncProperty(body, async (value) => {
        const { status } = await send(door, fitting(door, value))

        expect(status, `${door.method} ${door.path}`).toBeLessThan(500)
      }),
      { numRuns: 8 },
    )
  }
}, 180_000)

test('a deeply nested body gets no 5xx', async () => {
  const deep = `${'{"tasks":['.repeat(5_000)}{}${']}'.repeat(5_000)}`
  const wrong: unknown[] = []
  for (const door of doors) {
    const { status } = await send(door, deep)
    if (status >= 500) wrong.push([status, door])
  }

  expect(wrong).toEqual([])
})

test.each([
  ['form', 'client_id=a%00b&client_secret=x&grant_type=client_credentials'],
  ['query', ''],
])('a zero byte in the %s of a token or authorization request is a 4xx', async (_, form) => {
  const answer = await (form
    ? request(url).post('/oauth/token').type('form').send(form)
    : request(url).get('/oauth/authorize?client_id=a%00b&response_type=code'))

  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
})

test('a zero byte in Basic authentication is a 4xx', async () => {
  const answer = await request(url).post('/oauth/token').auth('a%00b', 'x').send({ grant_type: 'client_credentials' })

  expect([answer.status, answer.body.error]).toEqual([400, 'invalid_request'])
})
