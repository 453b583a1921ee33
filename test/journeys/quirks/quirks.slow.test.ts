// Each quirk links, refreshes and disconnects through both programs. Those that change a re-link also re-link.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { stateOf } from '../../../src/demo/misbehave/domain/grants.ts'
import { type QuirkWorld, startQuirkWorld } from './quirk-world.ts'
import { presetQuirks, quirks } from './quirks.ts'

let world: QuirkWorld
beforeAll(async () => {
  world = await startQuirkWorld({ ...quirks, ...presetQuirks })
})
afterAll(() => world?.close())

/** Longer than the lifetime of access tokens, and shorter than any other. */
const later = 2 * 3_600

/** Quirks that re-link a live grant, which is then revoked: one per kind of revocation, rotation and limit. */
const isRelinkedAlive = (name: string) => /^(8|13|14|preset):/.test(name)

/** Quirks of refresh tokens and of errors. For others, the re-link of a dead grant makes the requests of a first link. */
const isRelinkedDead = (name: string) => /^(1|12):|^nothing/.test(name)

test.each(Object.entries({ ...quirks, ...presetQuirks }))('%s', async (name, quirk) => {
  const { instance } = world.of(quirk)
  const alive = () => instance.grants.filter((grant) => stateOf(grant, instance) === 'alive')
  const refreshes = () => instance.requests.filter(({ parameters }) => parameters.grant_type === 'refresh_token').length

  const connection = await world.link(quirk)
  expect(await world.check(connection)).toBe('healthy')

  const before = refreshes()
  instance.advance(later)
  expect(await world.check(connection)).toBe('healthy')
  expect(refreshes() > before).toBe(!quirk.isNeverRefreshed)

  if (isRelinkedDead(name)) {
    for (const grant of instance.grants) grant.endedBy ??= 'user'
    expect(await world.check(connection)).toBe('grant_revoked')
  }
  if (isRelinkedDead(name) || isRelinkedAlive(name)) {
    expect(await world.relink(connection)).toBe('linked')
    expect(await world.check(connection)).toBe('healthy')
  }

  await world.disconnect(connection)
  if (!quirk.staysAlive) expect(alive()).toEqual([])
})

test('all rows of the table of quirks are tested', () => {
  const rows = new Set(Object.keys(quirks).flatMap((name) => /^\d+(?=:)/.exec(name) ?? []))

  expect([...rows].map(Number).sort((a, b) => a - b)).toEqual(Array.from({ length: 15 }, (_, at) => at + 1))
})

test.each([
  ['1: a refresh token by a setting of the app', 'refresh_tokens_off'],
  ['1: a refresh token for apps that are approved', 'refresh_tokens_not_approved'],
])('%s: without it, the cause is the operator’s to fix, and a later link succeeds', async (name, cause) => {
  const quirk = quirks[name]!
  const { instance } = world.of(quirk)
  instance.appSetting = false

  const before = instance.grants.length
  await expect(world.link(quirk)).rejects.toThrow(cause)
  const refused = instance.grants.slice(before)
  instance.appSetting = true

  // One consent only: the user cannot change the app's registration.
  expect(refused.map(({ endedBy }) => endedBy)).toEqual(['revocation'])
  expect(await world.check(await world.link(quirk))).toBe('healthy')
})

test.each(Object.keys(quirks).filter((name) => name.startsWith('12: errors')))(
  '%s: a revoked grant and a rejected client have different causes',
  async (name) => {
    const quirk = quirks[name]!
    const { instance } = world.of(quirk)
    const connection = await world.link(quirk)

    instance.switches.client_secret = 'expired'
    instance.advance(later)
    const refused = await world.check(connection)
    instance.switches.client_secret = 'valid'
    expect(await world.check(connection)).toBe('healthy')
    for (const grant of instance.grants) grant.endedBy ??= 'user'
    instance.advance(later)

    expect(['client_rejected', 'client_secret_expired']).toContain(refused)
    expect(await world.check(connection)).toBe('grant_revoked')
  },
)

test('a client that is rejected with an error of the profile is the operator’s to fix', async () => {
  const quirk = quirks['12: a refused client by another error and status']!
  const { instance } = world.of(quirk)
  const connection = await world.link(quirk)

  instance.switches.client_secret = 'expired'
  instance.advance(later)

  expect(await world.check(connection)).toBe('client_rejected')
  instance.switches.client_secret = 'valid'
  expect(await world.check(connection)).toBe('healthy')
})

test('a rejected exchange fails the link and leaves no grant in escrow', async () => {
  const quirk = quirks['1: a long-lived token by another grant']!
  const { id, instance } = world.of(quirk)
  instance.switches.long_lived = 'refused'
  const minted = await world.mint({ integrationId: id, endUser: { id: 'user-3' } })

  const link = await world.completeToTheEnd(minted, (await world.consent(minted)).query)
  instance.switches.long_lived = 'exchange'

  expect(link).toMatchObject({ status: 'failed', cause: { code: 'grant_unusable' } })
  expect((await world.sql.query('select from escrow where link_id = $1', [link.id])).rowCount).toBe(0)
})

test('a re-link that would end another grant of the account warns before the redirect', async () => {
  const quirk = quirks['14: two live grants for each user']!
  const first = await world.link(quirk)
  const { status, body } = await world.api('POST', `/connections/${first}/relink-sessions`, { reason: 'for the test' })
  expect([status, body.grantLimit]).toEqual([201, undefined])

  await world.link(quirk, { endUser: { id: 'user-2' } })
  const warned = await world.api('POST', `/connections/${first}/relink-sessions`, { reason: 'for the test' })

  expect(warned.body.grantLimit).toEqual({ live: 2, limit: 2, beyond: 'oldest_ends' })
})

test('an app with another redirect URI fails the link with that cause', async () => {
  const quirk = quirks['15: one redirect URI for each app']!
  const { id, instance } = world.of(quirk)
  instance.switches.callback_rules = 'https_only'

  const minted = await world.mint({ integrationId: id, endUser: { id: 'user-2' } })
  const { query } = await world.consent(minted)
  instance.switches.callback_rules = 'one'

  expect(query).toMatchObject({ status: 'failed' })
  const { body: session } = await world.api('GET', `/connect-sessions/${minted.id}`)
  const { body: link } = await world.api('GET', `/links/${session.linkId}`)
  expect(link).toMatchObject({ status: 'failed', cause: { code: 'redirect_uri_rejected', whoseMove: 'operator' } })
})
