import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SettingsFeed, settingsFeedPath } from '../../../src/contract/integrations/settings-feed.ts'
import { type OnboardingWorld, returnUrl, startOnboarding } from '../../support/worlds/onboarding-world.ts'

const settingsKey = randomBytes(32).toString('base64url')
let world: OnboardingWorld
let connection: { id: string; name: string }

beforeAll(async () => {
  world = await startOnboarding({ env: { SETTINGS_KEY: settingsKey } })
  const minted = await world.mint()
  await world.completeToTheEnd(minted, (await world.consent(minted)).query)
  const { rows } = await world.sql.query('select id, name from connections')
  connection = rows[0]
})
afterAll(() => world?.close())

const feed = (key: string | undefined, tag?: string) =>
  fetch(`${world.url}${settingsFeedPath}`, {
    headers: { ...(key && { authorization: `Bearer ${key}` }), ...(tag && { 'if-none-match': tag }) },
  })

const policies = async () => SettingsFeed.parse(await (await feed(settingsKey)).json()).policies

type Version = { version: number; policy?: object; changedMembers: string[] }

const versions = async (path: string): Promise<[Version, ...Version[]]> =>
  (await world.api('GET', `${path}/versions`)).body.data

const tenantKey = async () => {
  const { key } = await world.world.apiKeys.create({ name: 'acme', tenant: 'acme' }, { kind: 'operator' })
  return world.apiAs(key.reveal())
}

test('policies of a tenant and a connection reach the platform with their places, until they are removed', async () => {
  const approval = { calls: 'all', approvers: { endUsers: ['boss'] } }
  const ofTenant = await world.api('PUT', '/tenants/acme/tool-policy', { policy: { readOnly: true }, reason: 'trial' })
  const ofConnection = await world.api('PUT', `/connections/${connection.id}/tool-policy`, {
    policy: { deny: ['send'], approval },
  })

  expect([ofTenant.status, ofConnection.status]).toEqual([204, 204])
  expect(await policies()).toEqual([
    { workspace: 'acme', connection: connection.name, deny: ['send'], approval },
    { workspace: 'acme', readOnly: true },
  ])
  const [noted] = await world.audit('tenant.tool_policy_put')
  expect(noted).toMatchObject({ subject_id: 'acme', reason: 'trial', facts: { changedMembers: ['readOnly'] } })

  await world.api('DELETE', '/tenants/acme/tool-policy')
  await world.api('DELETE', `/connections/${connection.id}/tool-policy`)
  expect(await policies()).toEqual([])
})

test('a policy is read with its version, and a change of an older version is rejected', async () => {
  const path = '/tenants/acme/tool-policy'
  const { body: before } = await world.api('GET', path)

  await world.api('PUT', path, { policy: { deny: ['send'] }, ifVersion: before.version })
  const { body: read } = await world.api('GET', path)
  const late = await world.api('PUT', path, { policy: { deny: [] }, ifVersion: before.version })

  expect(read).toMatchObject({ policy: { deny: ['send'] }, changedBy: { kind: 'api_key' } })
  expect(late).toMatchObject({ status: 409, body: { code: 'settings_changed' } })
  await world.api('DELETE', path)
})

test('the policy of a login names its MCP client, and stays when the client gets another grant', async () => {
  const path = `/connections/${connection.id}/function-grants/fg_1/tool-policy`

  const put = await world.api('PUT', path, { policy: { readOnly: true }, reason: 'a client of a guest' })
  const unknown = await world.api('PUT', path.replace('fg_1', 'fg_2'), { policy: { readOnly: true } })
  const { body } = await world.api('GET', path)

  expect([put.status, unknown.status]).toEqual([204, 404])
  expect(body).toMatchObject({ policy: { readOnly: true } })
  expect(body).not.toHaveProperty('effective')
  expect(await policies()).toEqual([{ workspace: 'acme', connection: connection.name, client: 'c', readOnly: true }])
  const noted = (await world.audit('connection.tool_policy_put')).at(-1)
  expect(noted).toMatchObject({ subject_id: connection.id, facts: { client: 'c', changedMembers: ['readOnly'] } })
  await world.api('DELETE', path)
  expect(await policies()).toEqual([])
})

test.each<['tenant' | 'connection', () => string]>([
  ['tenant', () => '/tenants/acme/tool-policy'],
  ['connection', () => `/connections/${connection.id}/tool-policy`],
  ['connection', () => `/connections/${connection.id}/function-grants/fg_1/tool-policy`],
])('the policy of a %s is rolled back to an earlier version, also after its removal', async (owner, path) => {
  await world.api('PUT', path(), { policy: { deny: ['send'] }, reason: 'trial' })
  const [first] = await versions(path())
  await world.api('PUT', path(), { policy: { readOnly: true } })
  await world.api('DELETE', path())

  const back = await world.api('POST', `${path()}/rollback`, { version: first.version, reason: 'trial goes on' })
  const unknown = await world.api('POST', `${path()}/rollback`, { version: first.version + 1_000 })
  const late = await world.api('POST', `${path()}/rollback`, { version: first.version, ifVersion: first.version })

  expect([back.status, unknown.status, late.status]).toEqual([204, 404, 409])
  expect((await policies()).map(({ deny }) => deny)).toEqual([['send']])
  const found = await versions(path())
  expect(found.slice(0, 4).map(({ policy, changedMembers }) => [policy, changedMembers])).toEqual([
    [{ deny: ['send'] }, ['deny']],
    [undefined, ['readOnly']],
    [{ readOnly: true }, ['deny', 'readOnly']],
    [{ deny: ['send'] }, ['deny']],
  ])
  expect(found[0]).toMatchObject({ restoredVersion: first.version, reason: 'trial goes on' })
  const noted = (await world.audit(`${owner}.tool_policy_put`)).at(-1)
  expect(noted).toMatchObject({ reason: 'trial goes on', facts: { restoredVersion: first.version } })
  await world.api('DELETE', path())
})

test('a version is rolled back only at the policy that it belongs to', async () => {
  await world.api('PUT', '/tenants/acme/tool-policy', { policy: { readOnly: true } })
  const [ofTenant] = await versions('/tenants/acme/tool-policy')

  const { status } = await world.api('POST', `/connections/${connection.id}/tool-policy/rollback`, {
    version: ofTenant.version,
  })

  expect(status).toBe(404)
  await world.api('DELETE', '/tenants/acme/tool-policy')
})

test('a tenant key changes policies of its connections only', async () => {
  const tenant = await tenantKey()
  await world.api('PUT', '/tenants/other', { workspace: 'other', displayName: 'Other', returnUrls: [returnUrl] })
  const { key } = await world.world.apiKeys.create({ name: 'other', tenant: 'other' }, { kind: 'operator' })
  const other = world.apiAs(key.reveal())
  const path = `/connections/${connection.id}/tool-policy`

  const own = await tenant('PUT', path, { policy: { readOnly: true } })
  const ofTenant = await tenant('PUT', '/tenants/acme/tool-policy', { policy: { readOnly: true } })
  const foreign = await other('PUT', path, { policy: { readOnly: true } })
  await world.api('PUT', '/tenants/acme/tool-policy', { policy: { deny: ['send'] } })
  const [[newest], [tenantVersion]] = [await versions(path), await versions('/tenants/acme/tool-policy')]
  const back = { version: newest.version }
  const rolledBack = [
    await tenant('POST', `${path}/rollback`, back),
    await tenant('POST', '/tenants/acme/tool-policy/rollback', { version: tenantVersion.version }),
    await other('POST', `${path}/rollback`, back),
  ]
  const ofLogin = path.replace('tool-policy', 'function-grants/fg_1/tool-policy')
  const read = [
    await other('GET', path),
    await other('GET', `${path}/versions`),
    await other('PUT', ofLogin, { policy: { readOnly: true } }),
  ]

  expect([own, ofTenant, foreign].map(({ status }) => status)).toEqual([204, 403, 404])
  expect(rolledBack.map(({ status }) => status)).toEqual([204, 403, 404])
  expect(read.map(({ status }) => status)).toEqual([404, 404, 404])
  await tenant('DELETE', path)
  await world.api('DELETE', '/tenants/acme/tool-policy')
})

test.each([
  ['gives access tokens', { accessTokens: true }],
  ['has an unknown kind of approver', { approval: { calls: 'all', approvers: { keys: ['key_1'] } } }],
  ['names another workspace', { workspace: 'other' }],
])('a policy that %s is rejected', async (_what, policy) => {
  expect((await world.api('PUT', '/tenants/acme/tool-policy', { policy })).status).toBe(422)
})

test('the feed is for SETTINGS_KEY only, has no client, and is sent once per change', async () => {
  const made = await world.world.apiKeys.create(
    { name: 'ops', tenant: undefined, purpose: 'settings' },
    { kind: 'operator' },
  )
  const settings = { displayName: 'Fed', issuer: world.provider.url, scopes: [{ name: 'openid' }] }
  const entry = { ...settings, clientId: 'CANARY-client', clientSecret: 'CANARY-secret' }
  await world.apiAs(made.key.reveal())('PUT', '/integrations/fed/settings', { settings: entry })

  const [none, wrong] = [await feed(undefined), await feed(world.key)]
  const first = await feed(settingsKey)
  const text = await first.text()
  const again = await feed(settingsKey, first.headers.get('etag') ?? '')

  expect([none.status, wrong.status, first.status, again.status]).toEqual([401, 401, 200, 304])
  expect(JSON.parse(text).integrations).toEqual([{ id: 'fed', entry: settings }])
  expect(text).not.toContain('CANARY')
})
