import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { workOnImports } from '../../../../src/onboarding/imports/flows/work-on-imports.ts'
import { providerClient } from '../../../support/doubles/provider/provider.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
beforeAll(async () => {
  world = await startOnboarding({ integration: { rotation: 'none' } })
})
afterAll(() => world.close())

let tokens = 0
let importId: string
beforeEach(async () => {
  importId = (await world.api('POST', '/imports', { tenantId: 'acme' })).body.id
})

function issuedToken(subject = 'account-1'): string {
  const token = `CANARY-RT-import-${++tokens}`
  const more = { code: '', revoked: false }
  world.provider.issued.push({ ...more, token, client: providerClient.id, subject })
  return token
}

const aRowOf = (key: string) => ({ key, integrationId: 'provider', endUser: { id: 'user' }, refreshToken: 'token' })

const aRow = (key: string, more: object = {}) => ({
  key,
  integrationId: 'provider',
  endUser: { id: `user-${key}` },
  refreshToken: issuedToken(),
  ...more,
})
const add = (rows: object[], more: object = {}) => world.api('POST', `/imports/${importId}/rows`, { rows, ...more })
const report = async () => (await world.api('GET', `/imports/${importId}/rows`)).body.data

test('a row becomes a working connection with the account from the provider', async () => {
  await add([aRow('a')])
  await workOnImports(world.ports, world.settings)

  const [row] = await report()
  const { body } = await world.api('GET', `/connections/${row.connectionId}`)
  expect(row).toMatchObject({ key: 'a', status: 'linked', endUser: { id: 'user-a' } })
  expect(body).toMatchObject({
    status: 'active',
    upstreamAccount: { id: 'account-1', label: 'first@provider.example' },
  })
})

test('a token that the provider rejects fails its row with a cause', async () => {
  await add([aRow('a', { refreshToken: 'CANARY-RT-unknown' }), aRow('b')])
  await workOnImports(world.ports, world.settings)

  const { body } = await world.api('GET', `/imports/${importId}`)
  expect(body).toMatchObject({ status: 'done', counts: { linked: 1, failed: 1 } })
  expect(body.reasons).toEqual([{ code: 'grant_revoked', whoseMove: 'user', title: 'Access was revoked', rows: 1 }])
})

test('no response and no stored text contains a token', async () => {
  const rows = [aRow('a'), aRow('b', { integrationId: 'none' }), aRow('c', { refreshToken: 'CANARY-RT with blanks' })]
  const told = [await add(rows), await add(rows), await add(rows, { dryRun: true })]
  const malformed = await add([{ ...aRow('d'), refreshToken: [issuedToken()] }])
  const unknown = await add([{ ...aRow('e'), [issuedToken()]: 1 }])
  await workOnImports(world.ports, world.settings)
  const stored =
    await world.sql.query(`select import_rows::text, links::text, audit::text, escrow::text from import_rows
    left join links on links.id = link_id left join audit on audit.link = link_id left join escrow on escrow.link_id = links.id`)

  expect([malformed, unknown].map(({ body }) => body.rows[0].problem.code)).toEqual(Array(2).fill('members_invalid'))
  expect(JSON.stringify([told, malformed.body, unknown.body, await report(), stored.rows])).not.toContain('CANARY-RT')
})

test.each<[name: string, wrong: object, errors: object[]]>([
  [
    'an invalid email',
    { endUser: { id: 'user-1', email: 'no-address' } },
    [{ pointer: '/endUser/email', detail: 'must be an email address' }],
  ],
  ['an empty ID', { endUser: { id: '' } }, [{ pointer: '/endUser/id', detail: 'must not be empty' }]],
  ['no user', { endUser: undefined }, [{ pointer: '/endUser', detail: 'is required' }]],
  ['an invalid token', { refreshToken: 7 }, [{ pointer: '/refreshToken', detail: expect.any(String) }]],
  [
    'a misspelled field',
    { refresh_token: 'x' },
    [{ pointer: '/refresh_token', detail: 'is an unknown field. Did you mean "refreshToken"?' }],
  ],
  ['a field with an arbitrary name', { 'CANARY-RT-1': 1 }, [{ pointer: '', detail: 'has an unknown field' }]],
  [
    'an input with an arbitrary name',
    { inputs: { 'CANARY-RT-1': 1 } },
    [{ pointer: '/inputs', detail: expect.any(String) }],
  ],
])('a row with %s is rejected individually, and the error stays in the report', async (_, wrong, errors) => {
  const { status, body } = await add([aRow('a'), aRow('b', wrong), aRow('c')])

  expect(status).toBe(200)
  expect(body.rows.map((row: { status: string }) => row.status)).toEqual(['waiting', 'invalid', 'waiting'])
  expect(body.rows[1]).toMatchObject({ key: 'b', problem: { code: 'members_invalid', whoseMove: 'tenant', errors } })
  expect((await report())[1]).toEqual(body.rows[1])
  expect((await world.api('GET', `/imports/${importId}`)).body.counts).toMatchObject({ waiting: 2, invalid: 1 })
})

test.each<[name: string, rows: unknown, pointer: string]>([
  ['no object', [aRowOf('a'), 'text'], '/rows/1'],
  ['null', [null], '/rows/0'],
  ['a row without a key', [aRowOf('a'), { ...aRowOf('b'), key: undefined }], '/rows/1/key'],
  ['a row with an empty key', [{ ...aRowOf(''), endUser: {} }], '/rows/0/key'],
  ['no list', { key: 'a' }, '/rows'],
  ['no row at all', [], '/rows'],
])('rejects a request whose rows are malformed, and stores nothing: %s', async (_, rows, pointer) => {
  const { status, body } = await world.api('POST', `/imports/${importId}/rows`, { rows })

  expect([status, body.errors.map((each: { pointer: string }) => each.pointer)]).toEqual([422, [pointer]])
  expect(await report()).toEqual([])
})

test('a batch has at most 500 rows and one megabyte', async () => {
  const long = (key: string) => ({ ...aRow(key), refreshToken: 'x'.repeat(4_000) + key })
  const many = (count: number, make: (key: string) => object) => Array.from({ length: count }, (_, at) => make(`${at}`))

  const [large, tooLarge, tooMany] = [
    await add(many(200, long), { dryRun: true }),
    await add(many(300, long), { dryRun: true }),
    await add(many(501, aRow), { dryRun: true }),
  ]

  expect([large.status, tooLarge.status, tooMany.status]).toEqual([200, 413, 422])
})

test('S26: another tenant’s key finds no import, and the attempt is audited', async () => {
  await world.api('PUT', '/tenants/globex', { workspace: 'globex', displayName: 'Globex', returnUrls: [returnUrl] })
  const { key } = await world.world.apiKeys.create({ name: 'globex', tenant: 'globex' }, { kind: 'operator' })
  const as = world.apiAs(key.reveal())

  const answers = await Promise.all([
    as('GET', `/imports/${importId}`),
    as('GET', `/imports/${importId}/rows`),
    as('POST', `/imports/${importId}/rows`, { rows: [aRow('a')] }),
    as('POST', `/imports/${importId}/cancel`),
    as('POST', '/imports', { tenantId: 'acme' }),
  ])

  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
  expect((await as('GET', '/imports')).body.data).toEqual([])
  const denied = await world.sql.query(`select from audit where action = 'authz.denied' and tenant = 'acme'`)
  expect(denied.rowCount).toBe(5)
})
