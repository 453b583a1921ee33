// One refresh token, used more than once: by clients in parallel, after a lost response, and by a thief.
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { mcpApp } from '../../support/worlds/mcp-app.ts'
import { type McpLoginWorld, mcpLoginWorld } from '../../support/worlds/mcp-login-world.ts'
import { createResource } from '../../support/worlds/platform-world.ts'

let world: McpLoginWorld
let app: ReturnType<typeof mcpApp>

beforeAll(async () => {
  world = await mcpLoginWorld()
  app = mcpApp(world, await registered(world))
})
afterAll(() => world.close())

async function registered({ origin }: McpLoginWorld): Promise<string> {
  const body = JSON.stringify({ client_name: 'Test client', redirect_uris: ['http://127.0.0.1:7777/callback'] })
  const headers = { 'Content-Type': 'application/json' }
  const answer = await fetch(`${origin}/oauth/register`, { method: 'POST', headers, body })
  return ((await answer.json()) as { client_id: string }).client_id
}

type Answer = Awaited<ReturnType<typeof app.refresh>>

const endGrace = () =>
  world.platform.pool.query("update oidc_records set expires_at = now() where model = 'RefreshSuccessor'")
const refusal = ({ status, body }: Answer) => [status, body.error]
const refused = [400, 'invalid_grant']

const loginOf = (id: string) => world.login({ id, label: `${id}@acme.example` })
const reuseEntries = async () => {
  const { body } = await world.api.get('/v0/audit').expect(200)
  return body.data.filter(({ actor }: { actor: { credential: string } }) => actor.credential === 'reuse')
}

describe('within the grace period a replaced refresh token', () => {
  test('returns the same successor and a new access token, to parallel requests at two processes', async () => {
    const twin = await world.twin()
    onTestFinished(twin.close)
    const other = new URL(await twin.listen()).origin
    const { refresh_token } = await app.tokensFor()

    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, at) => app.refresh(refresh_token, {}, at % 2 ? other : world.origin)),
    )
    const later = await app.refresh(refresh_token)

    const all = [...answers, later].map(({ body }) => body)
    expect(new Set(all.map(({ refresh_token }) => refresh_token)).size).toBe(1)
    expect(all[0]?.refresh_token).not.toBe(refresh_token)
    expect(new Set(all.map(({ access_token }) => access_token)).size).toBe(21)
    expect((await app.ask(later.body.access_token)).status).toBe(200)
    expect((await app.refresh(later.body.refresh_token ?? '')).status).toBe(200)
  })

  test('returns its successor after that was replaced as well', async () => {
    const first = (await app.tokensFor()).refresh_token
    const second = (await app.refresh(first)).body.refresh_token ?? ''
    const third = (await app.refresh(second)).body.refresh_token

    expect((await app.refresh(first)).body.refresh_token).toBe(second)
    expect((await app.refresh(second)).body.refresh_token).toBe(third)
  })

  test('is rejected with another resource or a wider scope, and still returns its successor', async () => {
    const { refresh_token } = await app.tokensFor()
    const resource = world.mcpUrl.replace('/files/', '/second/')
    const before = [
      await app.refresh(refresh_token, { resource }),
      await app.refresh(refresh_token, { scope: 'tools:read tools:write' }),
    ]
    const successor = (await app.refresh(refresh_token)).body.refresh_token

    const after = [
      await app.refresh(refresh_token, { resource }),
      await app.refresh(refresh_token, { scope: 'tools:read tools:write' }),
    ]

    const refusals = [
      [400, 'invalid_target'],
      [400, 'invalid_scope'],
    ]
    expect([before.map(refusal), after.map(refusal)]).toEqual([refusals, refusals])
    expect((await app.refresh(refresh_token)).body.refresh_token).toBe(successor)
  })

  test('with a narrower scope gives an access token of that scope', async () => {
    const { refresh_token } = await app.tokensFor({ scope: 'tools:read tools:write' })
    const wide = await app.refresh(refresh_token)

    const narrow = await app.refresh(refresh_token, { scope: 'tools:read' })

    expect([wide.body.scope, narrow.body.scope]).toEqual(['tools:read tools:write', 'tools:read'])
    expect(narrow.body.refresh_token).toBe(wide.body.refresh_token)
  })

  test('is worthless to another client, which learns nothing and ends nothing', async () => {
    const { refresh_token } = await app.tokensFor()
    const thief = mcpApp(world, await registered(world))
    const fresh = await thief.refresh(refresh_token)
    const { body } = await app.refresh(refresh_token)

    const replaced = await thief.refresh(refresh_token)

    expect([refusal(fresh), refusal(replaced)]).toEqual([refused, refused])
    expect((await app.refresh(refresh_token)).body.refresh_token).toBe(body.refresh_token)
  })

  test.each([
    [
      'the tenant revoked the grant',
      async (id: string) => {
        const { body } = await world.api.get(`/v0/functions/files/grants?endUserId=${id}`).expect(200)
        await world.api.delete(`/v0/functions/files/grants/${body[0].id}`).expect(200)
      },
    ],
    [
      'the client revoked the successor',
      async (_id: string, successor: string) => {
        const body = new URLSearchParams({ token: successor, client_id: app.clientId })
        expect((await fetch(`${world.origin}/oauth/revoke`, { method: 'POST', body })).status).toBe(200)
      },
    ],
  ])('is rejected after %s', async (what, revoke) => {
    const id = what.replaceAll(' ', '-')
    const { refresh_token } = await app.tokensFor({}, await loginOf(id))
    await revoke(id, (await app.refresh(refresh_token)).body.refresh_token ?? '')

    expect(refusal(await app.refresh(refresh_token))).toEqual(refused)
  })

  test('is rejected after its function was deleted', async () => {
    const spec = { type: 'mcp', integrationConnections: ['files'], runtime: { type: 'mcp' } }
    await createResource(world.api, 'functions', 'passing', spec)
    const resource = world.mcpUrl.replace('/files/', '/passing/')
    const { refresh_token } = await app.tokensFor({ resource }, await world.login(undefined, 'passing'))
    await app.refresh(refresh_token)
    await world.api.delete('/v0/functions/passing').expect(200)

    expect(refusal(await app.refresh(refresh_token))).toEqual(refused)
  })
})

describe('after the grace period a replaced refresh token', () => {
  test('ends the grant with all its tokens, and one entry of the audit says why', async () => {
    const { refresh_token } = await app.tokensFor({}, await loginOf('robbed'))
    const { body } = await app.refresh(refresh_token)
    await endGrace()
    const before = await reuseEntries()

    const answers = await Promise.all([1, 2, 3, 4].map(() => app.refresh(refresh_token)))

    expect(answers.map(refusal)).toEqual([refused, refused, refused, refused])
    expect(refusal(await app.refresh(body.refresh_token ?? ''))).toEqual(refused)
    await waitFor('the access token is refused', async () => (await app.ask(body.access_token)).status === 401)
    expect((await world.api.get('/v0/functions/files/grants?endUserId=robbed')).body).toEqual([])
    const entries = (await reuseEntries()).slice(0, -before.length || undefined)
    expect(entries).toMatchObject([
      {
        action: 'functiongrant.revoked',
        actor: { kind: 'platform', name: 'refresh token' },
        resource: { kind: 'function', name: 'files' },
      },
    ])
  })

  test('ends nothing if another client presents it', async () => {
    const { refresh_token } = await app.tokensFor()
    const { body } = await app.refresh(refresh_token)
    await endGrace()

    const stolen = await mcpApp(world, await registered(world)).refresh(refresh_token)

    expect(refusal(stolen)).toEqual(refused)
    expect((await app.refresh(body.refresh_token ?? '')).status).toBe(200)
  })

  test('is at once too late with REFRESH_GRACE_SECONDS=0', async () => {
    const strict = await mcpLoginWorld({ REFRESH_GRACE_SECONDS: '0' })
    onTestFinished(strict.close)
    const client = mcpApp(strict, await registered(strict))
    const { refresh_token } = await client.tokensFor()
    const { body } = await client.refresh(refresh_token)

    const again = await client.refresh(refresh_token)

    expect(body.refresh_token).toBeTypeOf('string')
    expect(refusal(again)).toEqual(refused)
    expect(refusal(await client.refresh(body.refresh_token ?? ''))).toEqual(refused)
  })
})

test('a successor is sealed, and deleted after the grace period', async () => {
  const { pool, adapters } = world.platform
  const { refresh_token } = await app.tokensFor()
  const { body } = await app.refresh(refresh_token)
  const successors = async () => (await pool.query("select * from oidc_records where model = 'RefreshSuccessor'")).rows

  const during = await successors()
  await endGrace()
  await adapters.records.removeExpired()

  expect(during.length).toBeGreaterThan(0)
  expect(JSON.stringify(during)).not.toContain(body.refresh_token)
  expect(await successors()).toEqual([])
})
