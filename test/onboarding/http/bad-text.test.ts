// Text that no store accepts, such as a zero byte or half a surrogate pair, is rejected as a client error.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ProblemAnswer } from '../../../src/onboarding/http/schemas.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world.close())

const zero = '\u0000'
const half = '\ud800'

const pages = ['/links/%00', '/links/%00/consent', '/links/%00?live=1', '/connect/%00', '/oauth/callback/%00']

test.each(pages)('%s returns a page that explains the error', async (path) => {
  const answer = await fetch(`${world.url}${path}`, { redirect: 'manual' })
  const text = await answer.text()

  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(text).toMatch(/<h1>/)
  expect(text).not.toMatch(/\bat .+:\d+|node_modules/)
})

const session = (more: Record<string, unknown>) => ({
  tenantId: 'acme',
  integrationId: 'provider',
  endUser: { id: 'user-1' },
  returnUrl,
  completionChallenge: 'c'.repeat(43),
  ...more,
})

const acme = { workspace: 'acme', displayName: 'Acme' }

type Ask = [string, string, unknown?]

const asks: Ask[] = [
  ['GET', '/links/%00'],
  ['GET', '/links/%ED%A0%80'],
  ['GET', '/links?cursor=%00'],
  ['GET', '/connections/%00'],
  ['GET', '/connections?cursor=%00'],
  ['GET', '/connections?endUserId=%00'],
  ['GET', '/connections?integrationId=%00'],
  ['GET', '/connect-sessions/%00'],
  ['POST', '/connect-sessions/%00/cancel'],
  ['GET', '/tenants/%00'],
  ['GET', '/tenants?cursor=%00'],
  ['GET', '/tenants/acme/webhooks/deliveries?webhookId=%00'],
  ['GET', '/audit?actor=%00'],
  ['PUT', '/tenants/acme/oauth-clients/provider', { clientId: zero }],
  ['PUT', '/tenants/acme/oauth-clients/provider', { clientId: `a${zero}`, clientSecret: 'x' }],
  ['POST', '/connect-sessions', session({ integration: zero })],
  ['POST', '/connect-sessions', session({ endUser: { id: half } })],
  ['POST', '/connect-sessions', session({ endUser: { id: zero } })],
  ['POST', '/connect-sessions', session({ endUser: { id: 'u', displayName: half } })],
]

test.each(asks)('%s %s with %j is rejected as a client error', async (method, path, body) => {
  const answer = await world.api(method, path, body)

  expect(answer.status).toBeGreaterThanOrEqual(400)
  expect(answer.status).toBeLessThan(500)
  expect(ProblemAnswer.parse(answer.body)).toMatchObject({ status: answer.status })
})

test.each<[name: string, ask: Ask, pointers: string[]]>([
  ['in a displayed text', ['POST', '/connect-sessions', session({ endUser: { id: `u${half}` } })], ['/endUser/id']],
  [
    'in a list',
    ['PUT', '/tenants/acme', { ...acme, returnUrls: [returnUrl, `${returnUrl}/${half}`] }],
    ['/returnUrls/1'],
  ],
  [
    'a zero byte in a body',
    ['PUT', '/tenants/acme/oauth-clients/provider', { clientId: `a${zero}`, clientSecret: 'x' }],
    ['/clientId'],
  ],
  ['a zero byte in a path', ['GET', '/links/%00'], ['/linkId']],
])('the error points to the text: %s', async (_, ask, pointers) => {
  const { status, body } = await world.api(...ask)

  expect([status, body.errors?.map(({ pointer }: { pointer: string }) => pointer)]).toEqual([422, pointers])
})

test('an unpaired surrogate in an import row rejects only that row', async () => {
  const { body: made } = await world.api('POST', '/imports', { tenantId: 'acme' })
  const row = (key: string, more: object = {}) => ({
    key,
    integrationId: 'provider',
    endUser: { id: key },
    refreshToken: key,
    ...more,
  })
  const rows = [row('a'), row('b', { endUser: { id: half } }), row('c', { inputs: { name: half } })]

  const { status, body } = await world.api('POST', `/imports/${made.id}/rows`, { rows })

  expect(status).toBe(200)
  expect(body.rows.map((each: { status: string }) => each.status)).toEqual(['waiting', 'invalid', 'invalid'])
})

test('an audit permission error is a store error, and no session is created', async () => {
  await world.sql.query(`create function refuse() returns trigger language plpgsql as
    $$ begin raise insufficient_privilege using message = 'permission denied for table audit'; end $$`)
  await world.sql.query('create trigger refuse before insert on audit execute function refuse()')

  const answer = await world.api('POST', '/connect-sessions', session({ endUser: { id: 'unwritten' } }))
  await world.sql.query('drop trigger refuse on audit')

  expect(answer.body).toMatchObject({ status: 503, code: 'store_unavailable' })
  expect(answer.headers.get('retry-after')).toBe('5')
  const minted = await world.sql.query(`select 1 from connect_sessions where end_user ->> 'id' = 'unwritten'`)
  expect(minted.rows).toEqual([])
})
