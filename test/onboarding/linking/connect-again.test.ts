import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
beforeAll(async () => {
  world = await startRelinking()
})
afterAll(() => world.close())

const connectAgain = async (id: string, ifConnected?: string) => {
  const minted = await world.mint({ endUser: { id }, ifConnected })
  const { query } = await world.consent(minted)
  return async () => (await world.complete(minted, query)).body
}

const connectionsOf = async (id: string) => (await world.api('GET', `/connections?endUserId=${id}`)).body.data

/** Grants that a connection depends on. */
const liveTokens = () => world.provider.issued.filter(({ revoked, spent }) => !revoked && !spent).length

test.each([
  ['add', 2, ['linked', 'linked']],
  ['relink', 1, ['linked', 'linked']],
  ['refuse', 1, ['failed', 'linked']],
] as const)(
  'two browsers that connect one account concurrently, with %s, end with %i',
  async (mode, count, statuses) => {
    const user = `racing-${mode}`
    const before = liveTokens()
    const completions = [await connectAgain(user, mode), await connectAgain(user, mode)]

    const answers = await Promise.all(completions.map((complete) => complete()))
    await world.passTime()

    const links = await Promise.all(answers.map(async ({ id }) => (await world.api('GET', `/links/${id}`)).body))
    const connections = await connectionsOf(user)
    expect(links.map(({ status }) => status).sort()).toEqual(statuses)
    expect(connections).toHaveLength(count)
    for (const { functionName } of connections) expect(world.platform.functions.has(`acme/${functionName}`)).toBe(true)
    expect(liveTokens() - before).toBe(count)
    for (const { id } of connections) expect(await world.secretsOf(id)).toBeDefined()
  },
)

test('a link that repairs an existing connection is recorded as a re-link', async () => {
  const first = await (await connectAgain('again', 'relink'))()
  const second = await (await connectAgain('again', 'relink'))()

  expect(second).toMatchObject({ status: 'linked', purpose: 'relink', connectionId: first.connectionId })
  expect(await world.audit('link.testing')).toContainEqual(
    expect.objectContaining({ link: second.id, facts: expect.objectContaining({ recognized: true }) }),
  )
})

test('by default the same account is reconnected, and another account is added', async () => {
  const first = await (await connectAgain('by-default'))()
  const again = await (await connectAgain('by-default'))()
  world.provider.misbehave({ subject: 'account-2', email: 'second@provider.example' })
  const other = await (await connectAgain('by-default'))()
  world.provider.misbehave({ subject: 'account-1', email: 'first@provider.example' })

  expect(again).toMatchObject({ status: 'linked', purpose: 'relink', connectionId: first.connectionId })
  expect(other).toMatchObject({ status: 'linked', purpose: 'link' })
  expect(await connectionsOf('by-default')).toHaveLength(2)
})

test('rejects a session beyond the tenant’s limit before consent', async () => {
  await world.api('PATCH', '/tenants/acme', { maxConnectionsPerUser: 1 })
  await (await connectAgain('limited', 'add'))()

  const body = { tenantId: 'acme', integrationId: 'provider', endUser: { id: 'limited' } }
  const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
  const more = { returnUrl: 'https://acme.example/integrations/return', completionChallenge: challenge }
  const refused = await world.api('POST', '/connect-sessions', { ...body, ...more, ifConnected: 'add' })
  const renewed = await world.api('POST', '/connect-sessions', { ...body, ...more })
  const unlimited = await world.api('PATCH', '/tenants/acme', { maxConnectionsPerUser: null })

  expect(refused).toMatchObject({ status: 409, body: { code: 'connection_limit' } })
  expect(renewed.status).toBe(201)
  expect(unlimited.body.maxConnectionsPerUser).toBe(0)
})
