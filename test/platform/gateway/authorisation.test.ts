// Every address of the gateway without a credential, with the wrong scope, and in a foreign workspace.
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { GatewayError, type GatewayErrorCode } from '../../../src/contract/error-bodies.ts'
import { allScopes } from '../../../src/contract/scopes.ts'
import { samples } from '../../support/worlds/platform-samples.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

type Address = { method: 'get' | 'post' | 'delete'; path: string; scope: string; host?: string; body?: object }

const inputs = { inputs: 'Hello' }
const messages = { messages: [{ role: 'user', content: 'Hello' }] }
const tools = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
const mount = { name: 'share', mountPath: '/share' }
const host = (workspace: string) => `sbx-box-${workspace}.local.sandboxes.example`

/** All of these exist in `acme`, so an authorised request succeeds. */
const addressesIn = (workspace: string): Address[] => [
  { method: 'post', path: `/${workspace}/agents/thing`, scope: 'agents:get', body: inputs },
  { method: 'post', path: `/${workspace}/agents/thing?async=true`, scope: 'agents:get', body: inputs },
  { method: 'post', path: `/${workspace}/agents/thing/below`, scope: 'agents:get', body: inputs },
  { method: 'post', path: `/${workspace}/models/thing`, scope: 'models:get', body: messages },
  { method: 'post', path: `/${workspace}/models/thing/chat/completions`, scope: 'models:get', body: messages },
  { method: 'get', path: `/${workspace}/models/thing/v1/models`, scope: 'models:get' },
  { method: 'post', path: `/${workspace}/functions/thing/mcp`, scope: 'functions:get', body: tools },
  { method: 'get', path: `/${workspace}/functions/thing/mcp`, scope: 'functions:get' },
  { method: 'delete', path: `/${workspace}/functions/thing/mcp`, scope: 'functions:get' },
  { method: 'get', path: `/${workspace}/sandboxes/box/filesystem/tree/`, scope: 'sandboxes:get' },
  { method: 'get', path: `/${workspace}/sandboxes/box/filesystem/%2F`, scope: 'sandboxes:get' },
  { method: 'post', path: `/${workspace}/sandboxes/box/mcp`, scope: 'sandboxes:control', body: tools },
  { method: 'get', path: `/${workspace}/sandboxes/box/drives`, scope: 'sandboxes:get' },
  { method: 'post', path: `/${workspace}/sandboxes/box/drives`, scope: 'sandboxes:control', body: mount },
  { method: 'delete', path: `/${workspace}/sandboxes/box/drives/share`, scope: 'sandboxes:control' },
  { method: 'get', path: '/drives', host: host(workspace), scope: 'sandboxes:get' },
  { method: 'get', path: '/filesystem/tree/', host: host(workspace), scope: 'sandboxes:get' },
  { method: 'get', path: '/filesystem/%2F', host: host(workspace), scope: 'sandboxes:get' },
  { method: 'post', path: '/mcp', host: host(workspace), scope: 'sandboxes:control', body: tools },
  { method: 'post', path: `/${workspace}/jobs/thing/executions`, scope: 'jobs:create', body: { tasks: [{}] } },
  { method: 'post', path: `/${workspace}/jobs/thing/hook`, scope: 'jobs:create', body: { tasks: [{}] } },
]

const cases = addressesIn('acme').map((address, at): [string, Address, Address, Address] => [
  `${address.method} ${address.host ?? ''}${address.path}`,
  address,
  addressesIn('foreign')[at]!,
  addressesIn('never-was')[at]!,
])

const world = await platformWorld()
await world.addServiceAccount('robot', 'admin', 'robot-secret')
await fill(world.admin)
await fill(await world.enter('foreign', 'owner@other.example', 'other'))
const executions = async () => (await world.pool.query('select count(*)::int as count from executions')).rows[0].count
afterAll(() => world.close())

async function fill(place: { key: string; workspace: string }) {
  const create = (path: string, name: string, spec: object) =>
    world.as(place).post(path).send({ metadata: { name }, spec }).expect(200)
  const triggers = [{ type: 'http-async', configuration: { path: '/hook' } }]
  for (const kind of ['agent', 'model', 'function']) {
    await create(`/v0${samples[kind]!.path}`, 'thing', samples[kind]!.spec)
  }
  await create('/v0/jobs', 'thing', { ...samples.job!.spec, triggers })
  await create('/v0/drives', 'share', {})
  await create('/v0/sandboxes', 'box', { ...samples.sandbox!.spec, drives: [mount] })
}

function send({ method, path, host: named, body }: Address, credential?: string) {
  const sent = request(world.app)[method](path).set('Accept', 'application/json, text/event-stream')
  if (named) sent.set('Host', named)
  if (credential !== undefined) sent.set('X-Service-Authorization', `Bearer ${credential}`)
  return body ? sent.send(body) : sent
}

async function tokenFor(scope: string): Promise<string> {
  const { body } = await request(world.app)
    .post('/oauth/token')
    .send({ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret', scope })
  return body.access_token
}

function expectRefusal(answer: request.Response, status: number, ...codes: GatewayErrorCode[]) {
  const { error } = GatewayError.parse(answer.body)
  expect(answer.status).toBe(status)
  expect(codes).toContain(error.code)
  expect(error).toMatchObject({ status, retryable: false })
  expect(answer.headers['x-service-source']).toBe('platform')
  expect(answer.headers['x-service-error-code']).toBe(error.code)
}

/** An MCP client also gets the address of the resource metadata. */
function challengeAt(path: string, error?: string): string {
  const named = error === undefined ? [] : [`error="${error}"`]
  const metadata = `http://127.0.0.1:3100/.well-known/oauth-protected-resource${path}`
  const login = /\/functions\/[^/]+\/mcp$/.test(path) ? ['scope="tools:read"', `resource_metadata="${metadata}"`] : []
  return `Bearer ${[...named, ...login].join(', ')}`.trim()
}

const wordsOf = ({ status, body }: request.Response) => [status, { ...body.error, timestamp: '' }]

describe.each(cases)('%s', (_, address, foreign, missing) => {
  test('without a credential, or with a wrong one, returns 401 with a challenge', async () => {
    const [none, wrong] = [await send(address), await send(address, 'nonsense')]

    expectRefusal(none, 401, 'AUTHENTICATION_REQUIRED')
    expectRefusal(wrong, 401, 'AUTHENTICATION_FAILED')
    expect(none.headers['www-authenticate']).toBe(challengeAt(address.path))
    expect(wrong.headers['www-authenticate']).toBe(challengeAt(address.path, 'invalid_token'))
  })

  test('returns 403 with every scope except the required one, and accepts the required one', async () => {
    const others = allScopes.filter((scope) => scope !== 'admin' && scope !== address.scope)
    const before = await executions()

    const refused = await send(address, await tokenFor(others.join(' ')))
    const done = (await executions()) - before
    const welcome = await send(address, await tokenFor(address.scope))

    expectRefusal(refused, 403, 'FORBIDDEN')
    expect(done).toBe(0)
    expect([401, 403]).not.toContain(welcome.status)
    expect(welcome.headers['x-service-error-code']).toBeUndefined()
  })

  test('for a foreign workspace returns the same 404 as for a missing one, for keys and tokens', async () => {
    for (const credential of [world.admin.key, await tokenFor('admin')]) {
      const [there, nowhere] = [await send(foreign, credential), await send(missing, credential)]

      // A host name does not delimit its workspace.
      expectRefusal(there, 404, address.host ? 'WORKLOAD_NOT_FOUND' : 'WORKSPACE_NOT_FOUND')
      expect(wordsOf(there)).toEqual(wordsOf(nowhere))
    }
  })
})

test('a workspace header that differs from the URL returns 400 for any URL', async () => {
  const before = await executions()
  for (const [, own, foreign] of cases) {
    const astray = await send(own, world.admin.key).set('X-Service-Workspace', 'foreign')
    const outside = await send(foreign, world.admin.key).set('X-Service-Workspace', 'acme')

    expectRefusal(astray, 400, 'BAD_REQUEST')
    expectRefusal(outside, 400, 'BAD_REQUEST')
  }
  expect(await executions()).toBe(before)
})

test('a workspace header that matches the URL is accepted', async () => {
  for (const [, own] of cases) {
    const answer = await send(own, world.admin.key).set('X-Service-Workspace', 'acme')

    expect(answer.headers['x-service-error-code']).toBeUndefined()
  }
})
