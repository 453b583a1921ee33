import { afterAll, beforeAll, expect, test } from 'vitest'
import { providerClient } from '../../support/doubles/provider/provider.ts'
import { type OnboardingWorld, providerEntry, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld
let operator: ReturnType<OnboardingWorld['apiAs']>

beforeAll(async () => {
  world = await startOnboarding()
  const made = await world.world.apiKeys.create(
    { name: 'ops', tenant: undefined, purpose: 'settings' },
    { kind: 'operator' },
  )
  operator = world.apiAs(made.key.reveal())
})
afterAll(() => world?.close())

const path = (id: string, more = '') => `/integrations/${id}/settings${more}`

const entryOf = (more: object = {}) => {
  const { id: _, ...entry } = providerEntry(world.provider)
  return { ...entry, ...more }
}

const put = (id: string, settings: object, more: object = {}) => operator('PUT', path(id), { settings, ...more })

test('an integration that is put by API can be linked at once, and its secret is not returned', async () => {
  const saved = await put('added', entryOf({ displayName: 'Added' }), { ifVersion: 0, reason: 'ticket 1' })

  expect(saved).toMatchObject({ status: 200, body: { source: 'api', hasClientSecret: true, reason: 'ticket 1' } })
  expect(JSON.stringify(saved.body)).not.toContain(providerClient.secret)
  expect((await operator('GET', path('added'))).body).toEqual(saved.body)
  const minted = await world.mint({ integrationId: 'added' })
  const { query } = await world.consent(minted)
  expect(await world.completeToTheEnd(minted, query)).toMatchObject({ status: 'linked' })
})

test('the ledger has the secret sealed, and the audit names who changed which members', async () => {
  await put('sealed', entryOf())

  const { rows } = await world.sql.query(`select * from setting_versions where subject = 'sealed'`)
  expect(JSON.stringify(rows)).not.toContain(providerClient.secret)
  const audit = (await world.audit('integration.settings_put')).at(-1)
  expect(audit?.facts).toMatchObject({ integrationId: 'sealed', version: Number(rows[0].version) })
  expect(audit?.facts.changedMembers).toContain('clientSecret')
})

test('settings apply over the entry of the file until they are removed', async () => {
  const named = async () => {
    const { body } = await world.api('GET', '/integrations?q=provider')
    return body.data.find((each: { id: string }) => each.id === 'provider').displayName
  }
  expect((await operator('GET', path('provider'))).body).toEqual({
    integrationId: 'provider',
    source: 'file',
    version: 0,
  })

  await put('provider', entryOf({ displayName: 'Provider by API' }))
  expect(await named()).toBe('Provider by API')

  expect((await operator('DELETE', path('provider'))).status).toBe(204)
  expect(await named()).toBe('Provider')
  expect((await operator('DELETE', path('provider'))).body.code).toBe('settings_absent')
})

test('the same settings again are no new version, and an omitted secret stays with its client', async () => {
  const { clientSecret: _, ...withoutSecret } = entryOf()
  const first = await put('kept', entryOf())
  const again = await put('kept', withoutSecret)
  const changed = await put('kept', { ...withoutSecret, description: 'Files.' })
  const removed = await put('kept', { ...withoutSecret, clientSecret: null, clientAuthentication: 'none' })
  const other = await put('kept', { ...withoutSecret, clientId: 'other' })

  expect(again.body.version).toBe(first.body.version)
  expect(changed.body).toMatchObject({ version: first.body.version + 1, hasClientSecret: true })
  expect(removed.body.hasClientSecret).toBe(false)
  expect(other).toMatchObject({ status: 422, body: { errors: [{ pointer: '/settings/clientSecret' }] } })
})

test('of changes with the same version only one is saved', async () => {
  const { body } = await put('raced', entryOf())
  const change = (at: number) => put('raced', entryOf({ description: `Change ${at}` }), { ifVersion: body.version })

  const answers = await Promise.all(Array.from({ length: 8 }, (_, at) => change(at)))

  expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
  const { version } = (await operator('GET', path('raced'))).body
  const refused = answers.filter(({ status }) => status === 409)
  expect(refused).toHaveLength(7)
  expect(refused[0]?.body).toMatchObject({ code: 'settings_changed', detail: `The current version is ${version}.` })
})

test('the history tells who changed what, and a rollback restores an earlier version with its secret', async () => {
  const one = await put('history', entryOf())
  const two = await put(
    'history',
    { ...entryOf(), clientId: 'wrong', clientSecret: 'wrong-secret' },
    { reason: 'new app' },
  )
  const back = await operator('POST', path('history', '/rollback'), { version: one.body.version, reason: 'wrong app' })
  const { body } = await operator('GET', path('history', '/versions'))

  expect(
    body.data.map(({ version, changedMembers, reason, restoredVersion }: Record<string, unknown>) => ({
      version,
      changedMembers,
      reason,
      restoredVersion,
    })),
  ).toEqual([
    {
      version: back.body.version,
      changedMembers: ['clientId', 'clientSecret'],
      reason: 'wrong app',
      restoredVersion: one.body.version,
    },
    { version: two.body.version, changedMembers: ['clientId', 'clientSecret'], reason: 'new app' },
    expect.objectContaining({ version: one.body.version }),
  ])
  expect(JSON.stringify(body)).not.toMatch(/wrong-secret/)
  const minted = await world.mint({ integrationId: 'history' })
  const { query } = await world.consent(minted)
  expect(await world.completeToTheEnd(minted, query)).toMatchObject({ status: 'linked' })
})

test('a change that breaks connections has to say so', async () => {
  await put('linked', entryOf())
  const minted = await world.mint({ integrationId: 'linked' })
  await world.completeToTheEnd(minted, (await world.consent(minted)).query)
  const other = { ...entryOf(), clientId: 'another-client' }

  const refused = await put('linked', other)
  const removal = await operator('DELETE', path('linked'))
  const accepted = await put('linked', other, { breakConnections: true })

  expect(refused).toMatchObject({ status: 409, body: { code: 'settings_break_connections' } })
  expect(refused.body.detail).toMatch(/^1 connection is affected\. The client is another one/)
  expect(removal.body.detail).toMatch(/^1 connection is affected\. The integration is removed/)
  expect(accepted.status).toBe(200)
})

test('a link in progress ends with the client that it began with', async () => {
  await put('moving', entryOf())
  const [atCallback, waiting] = [
    await world.mint({ integrationId: 'moving' }),
    await world.mint({ integrationId: 'moving' }),
  ]
  const { url, browser } = await world.untilCallback(atCallback)
  const { query } = await world.consent(waiting)

  await put('moving', { ...entryOf(), clientId: 'next-client', clientSecret: 'next-secret' })

  const returned = await browser.follow(await browser.get(url), 'https://acme.example')
  const back = Object.fromEntries(new URL(returned.url).searchParams)
  expect(await world.completeToTheEnd(atCallback, back)).toMatchObject({ status: 'linked' })
  expect(await world.completeToTheEnd(waiting, query)).toMatchObject({ status: 'linked' })
})

test.each([
  ['an unknown profile', { profile: 'no-such-app', clientId: 'x' }, '/settings/profile'],
  [
    'a listed profile without consent',
    { profile: 'mendeley', clientId: 'x', clientSecret: 'y' },
    '/settings/acceptListed',
  ],
  ['another ID', { ...{ id: 'other' } }, '/settings/id'],
  ['an unknown member', { colour: 'red' }, '/settings'],
  ['the placeholder of an example', { clientSecret: '…' }, '/settings/clientSecret'],
  ['a private token endpoint', { issuer: 'https://10.0.0.1' }, '/settings'],
  ['a private API host', { apiHosts: ['169.254.169.254'] }, '/settings'],
])('rejects %s, and saves nothing', async (_what, members, pointer) => {
  const settings = 'profile' in members ? members : entryOf(members)

  const answer = await put('rejected', settings)

  expect(answer).toMatchObject({ status: 422, body: { errors: [expect.objectContaining({ pointer })] } })
  expect((await operator('GET', path('rejected'))).status).toBe(404)
})

test('a key for settings opens nothing else, and no other key reads or changes settings', async () => {
  const withApiKey = await world.api('GET', path('provider'))
  const elsewhere = await operator('GET', '/tenants')

  expect([withApiKey, elsewhere].map(({ status, body }) => [status, body.code])).toEqual([
    [403, 'key_purpose'],
    [403, 'key_purpose'],
  ])
})

test('another process follows, and a restart begins with the newest settings', async () => {
  const { body } = await put('followed', entryOf({ displayName: 'Followed' }))

  const restarted = await world.restart({})

  expect(restarted.integrations.find('followed')).toMatchObject({
    displayName: 'Followed',
    client: { id: providerClient.id },
  })
  expect(await restarted.settingVersions.newest()).toBeGreaterThanOrEqual(body.version)
})
