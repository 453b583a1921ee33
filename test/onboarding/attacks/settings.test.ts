// Attacks on settings that are changed without a restart.
import { randomBytes } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { settingsFeedPath } from '../../../src/contract/integrations/settings-feed.ts'
import {
  type OnboardingWorld,
  providerEntry,
  returnUrl,
  startOnboarding,
} from '../../support/worlds/onboarding-world.ts'

const settingsKey = randomBytes(32).toString('base64url')
let world: OnboardingWorld
let operatorKey: string
let connection: string

const makeKey = async (tenant: string | undefined, purpose?: 'settings') => {
  const { key } = await world.world.apiKeys.create({ name: 'made', tenant, purpose }, { kind: 'operator' })
  return key.reveal()
}

beforeAll(async () => {
  world = await startOnboarding({ env: { SETTINGS_KEY: settingsKey } })
  operatorKey = await makeKey(undefined, 'settings')
  const minted = await world.mint()
  await world.completeToTheEnd(minted, (await world.consent(minted)).query)
  connection = (await world.sql.query('select id from connections')).rows[0].id
  await world.api('PUT', '/tenants/other', { workspace: 'other', displayName: 'Other', returnUrls: [returnUrl] })
})
afterAll(() => world?.close())

/** 429: too many keys that are not valid. */
const refused = [401, 403, 429]

const integration = '/integrations/provider/settings'
const redirected = () => ({ ...providerEntry(world.provider), issuer: 'https://attacker.example' })

const stored = async () =>
  Number((await world.sql.query('select count(*) as count from setting_versions')).rows[0].count)

test('T36: no key that a product, tenant or platform holds changes, reads or follows settings of integrations', async () => {
  const revoked = await world.world.apiKeys.create(
    { name: 'revoked', tenant: undefined, purpose: 'settings' },
    { kind: 'operator' },
  )
  await world.world.apiKeys.revoke(revoked.id, { kind: 'operator' })
  const keys = {
    product: world.key,
    tenant: await makeKey('acme'),
    otherTenant: await makeKey('other'),
    revoked: revoked.key.reveal(),
    platform: settingsKey,
    signing: `${operatorKey}x`,
    none: '',
  }
  const before = await stored()

  const given = []
  for (const [holder, key] of Object.entries(keys)) {
    const ask = world.apiAs(key)
    const answers = [
      await ask('PUT', integration, { settings: redirected(), breakConnections: true }),
      await ask('POST', `${integration}/rollback`, { version: 1 }),
      await ask('DELETE', `${integration}?breakConnections=true`),
      await ask('GET', integration),
      await ask('GET', `${integration}/versions`),
    ]
    given.push(...answers.filter(({ status }) => !refused.includes(status)).map((answer) => [holder, answer]))
    if (key === settingsKey) continue
    const feed = await fetch(`${world.url}${settingsFeedPath}`, { headers: { authorization: `Bearer ${key}` } })
    if (!refused.includes(feed.status)) given.push([holder, feed.status])
  }

  expect(given).toEqual([])
  expect(await stored()).toBe(before)
})

test('T36: a key for settings, and keys of other tenants, change no tool policy', async () => {
  const before = await stored()
  const change = { policy: { readOnly: true } }
  const ofConnection = `/connections/${connection}/tool-policy`

  const tried = []
  for (const key of [operatorKey, await makeKey('other'), settingsKey]) {
    const ask = world.apiAs(key)
    for (const path of ['/tenants/acme/tool-policy', ofConnection]) {
      tried.push(await ask('PUT', path, change))
      tried.push(await ask('POST', `${path}/rollback`, { version: 1 }))
      tried.push(await ask('DELETE', path))
      tried.push(await ask('GET', `${path}/versions`))
    }
  }

  expect(tried.filter(({ status }) => ![...refused, 404].includes(status))).toEqual([])
  expect(await stored()).toBe(before)
})

test('T37: a change that is sent again, late or twenty times at once is saved once', async () => {
  const operator = world.apiAs(operatorKey)
  const settings = { ...providerEntry(world.provider), displayName: 'First' }
  const first = { settings, ifVersion: 0, breakConnections: true }
  const before = await stored()

  const atOnce = await Promise.all(Array.from({ length: 20 }, () => operator('PUT', integration, first)))
  const saved = atOnce.find(({ status }) => status === 200)?.body.version
  await operator('PUT', integration, { settings: { ...settings, displayName: 'Second' }, ifVersion: saved })
  const late = await operator('PUT', integration, first)
  const back = { version: saved, ifVersion: saved, breakConnections: true }
  const rolledBack = await operator('POST', `${integration}/rollback`, back)

  expect(atOnce.filter(({ status }) => status === 200)).toHaveLength(1)
  expect([late.body.code, rolledBack.body.code]).toEqual(['settings_changed', 'settings_changed'])
  expect(await stored()).toBe(before + 2)
  expect(world.world.integrations.find('provider')?.displayName).toBe('Second')
})

test.each([
  ['access tokens', { accessTokens: true }],
  ['another workspace', { workspace: 'other' }],
  ['another connection', { connection: 'con-of-another' }],
  ['another integration', { integration: 'gmail' }],
  ['a level', { level: 'file' }],
])('T38: a tenant’s policy that names %s is rejected', async (_what, policy) => {
  const tenant = world.apiAs(await makeKey('acme'))

  const { status } = await tenant('PUT', `/connections/${connection}/tool-policy`, { policy })

  expect(status).toBe(422)
})
