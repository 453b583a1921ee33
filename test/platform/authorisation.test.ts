import { decodeJwt } from 'jose'
import request from 'supertest'
import { afterAll, describe, expect, test } from 'vitest'
import { allScopes } from '../../src/contract/scopes.ts'
import type { Operation } from '../../src/platform/shared/http/operation.ts'
import { samples } from '../support/worlds/platform-samples.ts'
import { platformWorld } from '../support/worlds/platform-world.ts'

const tokens = new Map<string, string>()

const world = await platformWorld()
await world.addServiceAccount('robot', 'admin', 'robot-secret')
await world.enter('foreign', 'owner@other.example', 'other')

afterAll(() => world.close())

/** Every route of the control plane, as the program itself lists them. */
const eachOperation = async (check: (operation: Operation) => Promise<unknown>) => {
  const wrong: string[] = []
  for (const operation of world.operations) {
    const complaint = await check(operation)
    if (complaint !== undefined) wrong.push(`${operation.method} ${operation.path}: ${JSON.stringify(complaint)}`)
  }
  expect(wrong).toEqual([])
}

const addressOf = ({ path }: Operation) => `/v0${path.replace(/\{\w+\}/g, 'some-name')}`
const send = (operation: Operation) => request(world.app)[operation.method](addressOf(operation))
const unlike = (answer: request.Response, status: number, error: string) =>
  answer.status === status && answer.body.error === error ? undefined : [answer.status, answer.body]

async function tokenFor(scope: string): Promise<string> {
  const known = tokens.get(scope)
  if (known) return known
  const { body } = await request(world.app)
    .post('/oauth/token')
    .type('form')
    .send({ grant_type: 'client_credentials', client_id: 'robot', client_secret: 'robot-secret', scope })
  tokens.set(scope, body.access_token)
  return body.access_token
}

describe('on every route', () => {
  test('the number of routes is that of the interface and its decisions', () => {
    const paths = new Set(world.operations.map(({ path }) => path.replace(/\{\w+\}/g, ':')))

    for (const sample of Object.values(samples))
      expect(paths).toContain(sample.path.replace(/\/(net|gate|fine)\b/g, '/:'))
    expect([...paths]).toEqual(
      expect.arrayContaining(['/workspaces', '/workspaces/availability', '/templates', '/accounts', '/locations']),
    )
  })

  test('a request without a credential gets 401 with the scheme', async () => {
    await eachOperation(async (operation) => {
      const answer = await send(operation)
      return answer.headers['www-authenticate'] === 'Bearer'
        ? unlike(answer, 401, 'authentication_required')
        : answer.headers
    })
  })

  test('a wrong credential gets 401 before any other check', async () => {
    await eachOperation(async (operation) => {
      const answer = await send(operation).set('Authorization', 'Bearer nonsense').type('json').send('{broken')
      return unlike(answer, 401, 'invalid_token')
    })
  })

  test('the required scope exists', () => {
    expect(world.operations.map(({ scope }) => scope).filter((scope) => !allScopes.includes(scope))).toEqual([])
  })

  test('a token with every scope except the required one returns 403', async () => {
    await eachOperation(async (operation) => {
      const others = allScopes.filter((scope) => scope !== 'admin' && scope !== operation.scope)
      const answer = await send(operation).auth(await tokenFor(others.join(' ')), { type: 'bearer' })
      return unlike(answer, 403, 'insufficient_scope')
    })
  })

  test('a token with only the required scope is accepted, and so is admin', async () => {
    await eachOperation(async (operation) => {
      for (const scope of [operation.scope, 'admin']) {
        const answer = await send(operation).auth(await tokenFor(scope), { type: 'bearer' })
        if (answer.status === 401 || answer.body.error === 'insufficient_scope') return [answer.status, answer.body]
      }
      return undefined
    })
  })

  test('an inaccessible workspace gets the same 403 as a missing one', async () => {
    await eachOperation(async (operation) => {
      if (!('handle' in operation)) return undefined
      const [foreign, missing] = await Promise.all(
        ['foreign', 'never-was'].map((workspace) =>
          send(operation).auth(world.admin.key, { type: 'bearer' }).set('X-Service-Workspace', workspace),
        ),
      )
      if (JSON.stringify(foreign!.body) !== JSON.stringify(missing!.body)) return [foreign!.body, missing!.body]
      return unlike(foreign!, 403, 'access_denied')
    })
  })

  test('operations for admins get 403 for a member', async () => {
    const member = await world.join('acme', 'user@acme.example', 'member')
    await eachOperation(async (operation) => {
      if (!operation.adminOnly) return undefined
      const answer = await send(operation).auth(member.key, { type: 'bearer' }).set('X-Service-Workspace', 'acme')
      return unlike(answer, 403, 'access_denied')
    })
  })

  test('two different workspaces in one request are 400', async () => {
    await eachOperation(async (operation) => {
      if (!('handle' in operation)) return undefined
      const answer = await send(operation)
        .auth(world.admin.key, { type: 'bearer' })
        .set('X-Service-Workspace', 'acme')
        .query({ workspace: 'foreign' })
      return unlike(answer, 400, 'workspace_ambiguous')
    })
  })

  test('an unsupported method gets 405 with the supported ones', async () => {
    await eachOperation(async ({ path }) => {
      const answer = await request(world.app).patch(`/v0${path.replace(/\{\w+\}/g, 'some-name')}`)
      return answer.headers.allow ? unlike(answer, 405, 'method_not_allowed') : [answer.status, answer.body]
    })
  })

  test('responses forbid caching, MIME sniffing and framing', async () => {
    await eachOperation(async (operation) => {
      const { headers } = await send(operation)
      const fine =
        headers['cache-control'] === 'no-store' &&
        headers['x-content-type-options'] === 'nosniff' &&
        /frame-ancestors 'none'/.test(headers['content-security-policy'] ?? '') &&
        headers['x-powered-by'] === undefined
      return fine ? undefined : headers
    })
  })
})

describe('a credential', () => {
  test.each(['Authorization', 'X-Service-Authorization', 'x-service-authorization'])(
    'is taken from %s',
    async (header) => {
      const answer = await request(world.app)
        .get('/v0/drives')
        .set(header, `Bearer ${world.admin.key}`)
        .set('X-Service-Workspace', 'acme')

      expect(answer.status).toBe(200)
    },
  )

  test('in the branded header takes precedence, which leaves Authorization to the workload', async () => {
    const answer = await request(world.app)
      .get('/v0/drives')
      .set('X-Service-Authorization', `Bearer ${world.admin.key}`)
      .set('Authorization', 'Bearer for-somebody-else')
      .set('X-Service-Workspace', 'acme')

    expect(answer.status).toBe(200)
  })

  test.each(['Basic abc', 'Bearer', 'Bearer a b', `Bearer ${'x'.repeat(9_000)}`, 'cwp_bare', ' '])(
    'that reads %s returns 401',
    async (value) => {
      const answer = await request(world.app).get('/v0/drives').set('Authorization', value)

      expect(answer.status).toBe(401)
    },
  )

  test('has another header on a platform with another brand', async () => {
    const branded = await platformWorld({ env: { BRAND: 'Acme' } })

    const right = await request(branded.app)
      .get('/v0/drives')
      .set({
        'X-Acme-Authorization': `Bearer ${branded.admin.key}`,
        'X-Acme-Workspace': 'acme',
        'Acme-Version': '2026-04-28',
      })
    const wrong = await request(branded.app)
      .get('/v0/drives')
      .set('X-Service-Authorization', `Bearer ${branded.admin.key}`)
    await branded.close()

    expect([right.status, right.body.meta?.total, wrong.status]).toEqual([200, 0, 401])
  })

  test('of a user with one workspace needs no workspace header, with two it does', async () => {
    const one = await world.enter('only-one', 'single@acme.example')
    const answer = () => request(world.app).get('/v0/drives').auth(one.key, { type: 'bearer' })
    const before = await answer()
    await world.enter('now-two', 'single@acme.example')

    const { body } = await request(world.app).get('/v0/drives?workspace=now-two').auth(one.key, { type: 'bearer' })

    expect(before.status).toBe(200)
    expect(body).toEqual([])
  })

  test('as a JWT is recorded as the creator', async () => {
    const token = await tokenFor('drives:create')

    const { body } = await request(world.app)
      .post('/v0/drives')
      .auth(token, { type: 'bearer' })
      .send({ metadata: { name: 'by-robot' }, spec: {} })

    expect(body.metadata.createdBy).toBe('robot')
    expect(decodeJwt(token)).toMatchObject({ sub: 'robot', aud: 'http://127.0.0.1:3100', iss: 'http://127.0.0.1:3100' })
  })
})
