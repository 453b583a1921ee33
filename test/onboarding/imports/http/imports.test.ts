import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
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

/** A refresh token that the provider knows. */
function issuedToken(subject = 'account-1'): string {
  const token = `CANARY-RT-import-${++tokens}`
  const more = { code: '', revoked: false }
  world.provider.issued.push({ ...more, token, client: providerClient.id, subject })
  return token
}

const aRow = (key: string, more: object = {}) => ({
  key,
  integrationId: 'provider',
  endUser: { id: `user-${key}` },
  refreshToken: issuedToken(),
  ...more,
})
const add = (rows: object[], more: object = {}) => world.api('POST', `/imports/${importId}/rows`, { rows, ...more })
const report = async () => (await world.api('GET', `/imports/${importId}/rows`)).body.data

test('a row becomes a connection that works, of the account that the provider names', async () => {
  await add([aRow('a')])
  await world.flows.workOnImports()

  const [row] = await report()
  const { body } = await world.api('GET', `/connections/${row.connectionId}`)
  expect(row).toMatchObject({ key: 'a', status: 'linked', endUser: { id: 'user-a' } })
  expect(body).toMatchObject({
    status: 'active',
    upstreamAccount: { id: 'account-1', label: 'first@provider.example' },
  })
})

test('a token that the provider does not know fails its row, which says whose move it is', async () => {
  await add([aRow('a', { refreshToken: 'CANARY-RT-unknown' }), aRow('b')])
  await world.flows.workOnImports()

  const { body } = await world.api('GET', `/imports/${importId}`)
  expect(body).toMatchObject({ status: 'done', counts: { linked: 1, failed: 1 } })
  expect(body.reasons).toEqual([{ code: 'grant_revoked', whoseMove: 'user', title: 'Access was revoked', rows: 1 }])
})

test('of another account than the row says, nothing is set up, and the tenant’s token still works', async () => {
  const row = aRow('a', { accountId: 'somebody-else' })
  const before = world.platform.connections.size
  await add([row])
  await world.flows.workOnImports()

  expect(await report()).toMatchObject([
    { status: 'failed', cause: { code: 'import_account_mismatch', whoseMove: 'tenant' } },
  ])
  expect(world.platform.connections.size).toBe(before)
  expect(world.provider.issued.find(({ token }) => token === row.refreshToken)?.revoked).toBe(false)
})

test('no answer and no stored text repeats a token', async () => {
  const rows = [aRow('a'), aRow('b', { integrationId: 'none' }), aRow('c', { refreshToken: 'CANARY-RT with blanks' })]
  const told = [await add(rows), await add(rows), await add(rows, { dryRun: true })]
  const malformed = await add([{ ...aRow('d'), refreshToken: [issuedToken()] }])
  const unknown = await add([{ ...aRow('e'), [issuedToken()]: 1 }])
  await world.flows.workOnImports()
  const stored =
    await world.sql.query(`select import_rows::text, links::text, audit::text, escrow::text from import_rows
    left join links on links.id = link_id left join audit on audit.link = link_id left join escrow on escrow.link_id = links.id`)

  expect([malformed.status, unknown.status]).toEqual([422, 422])
  expect(JSON.stringify([told, malformed.body, await report(), stored.rows])).not.toContain('CANARY-RT')
})

test('a batch takes as many rows as fit into a megabyte, and no more than 500', async () => {
  const long = (key: string) => ({ ...aRow(key), refreshToken: 'x'.repeat(4_000) + key })
  const many = (count: number, make: (key: string) => object) => Array.from({ length: count }, (_, at) => make(`${at}`))

  const [large, tooLarge, tooMany] = [
    await add(many(200, long), { dryRun: true }),
    await add(many(300, long), { dryRun: true }),
    await add(many(501, aRow), { dryRun: true }),
  ]

  expect([large.status, tooLarge.status, tooMany.status]).toEqual([200, 413, 422])
})

test('S26: another tenant’s key finds no import, and the record says who asked', async () => {
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
