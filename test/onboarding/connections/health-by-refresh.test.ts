// Checks that refresh the grant themselves, at a provider that ends everything when a spent refresh token is used.
import { EventEmitter, once } from 'node:events'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type GuardedFetch, guardedFetch } from '../../../src/kit/fetch/guarded-fetch.ts'
import { openidProvider } from '../../../src/onboarding/provisioning/adapters/openid/provider.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

let world: RelinkWorld
let patient: GuardedFetch

beforeAll(async () => {
  world = await startRelinking({
    integration: { health: { by: 'refresh' }, rotation: 'replaces', revocation: { reach: 'grant' } },
    env: { PLATFORM_REFRESHES: 'false' },
    // The program waits ten seconds for a provider. Here one is held while a whole re-link passes, and a machine may be slow.
    replace({ now }, { egressAllow, publicUrl }) {
      patient = guardedFetch({ allow: egressAllow, timeoutMs: 50_000 })
      const redirectUri = (id: string) => `${publicUrl}/oauth/callback/${id}`
      return { provider: openidProvider({ fetch: patient, now, redirectUri }) }
    },
  })
  world.provider.misbehave(strict)
})
afterEach(() => {
  world.provider.misbehave({ refresh: undefined })
  world.platform.fault = undefined
})
afterAll(async () => {
  await world.close()
  await patient.close()
})

const strict = { rotates: true, revokesWholeGrant: true }

/** Each with an account of its own: what ends one grant must not end another test's. */
async function link(): Promise<string> {
  accounts += 1
  world.provider.misbehave({ subject: `account-${accounts}`, email: `${accounts}@provider.example` })
  return world.link()
}
let accounts = 0

const check = async (id: string) =>
  (await world.api('POST', `/connections/${id}/health-checks`, { reason: 'any' })).body

/** What the platform has is what the provider would take. */
async function platformHasNewest(id: string): Promise<boolean> {
  const { REFRESH_TOKEN } = await world.secretsOf(id)
  const inUse = world.provider.issued.find(({ token }) => token === REFRESH_TOKEN)
  return inUse !== undefined && !inUse.spent && !inUse.revoked
}

/** The provider takes its time over the first refresh, and over no other. */
function holdFirstRefresh() {
  const signs = new EventEmitter()
  const [arrived, answered] = [once(signs, 'arrived'), once(signs, 'answered')]
  let seen = 0
  world.provider.misbehave({
    async refresh() {
      if (seen++ > 0) return undefined
      signs.emit('arrived')
      await answered
      return undefined
    },
  })
  return { arrived, answer: () => signs.emit('answered') }
}

const dueIn = async (id: string): Promise<number> =>
  (
    await world.sql.query(
      'select extract(epoch from health_due_at - now())::float8 as seconds from connections where id = $1',
      [id],
    )
  ).rows[0].seconds

test('the grant is refreshed here and the platform gets what came of it, time after time', async () => {
  const id = await link()
  const before = await world.secretsOf(id)

  const found = [await check(id), await check(id)]
  const after = await world.secretsOf(id)
  for (const issued of world.provider.issued) if (issued.subject === `account-${accounts}`) issued.revoked = true
  const dead = await check(id)

  expect(found).toMatchObject([{ outcome: 'healthy' }, { outcome: 'healthy' }])
  expect(after.REFRESH_TOKEN).not.toBe(before.REFRESH_TOKEN)
  expect(after.REFRESH_TOKEN).toBe(world.provider.issued.at(-1)?.token)
  expect(dead).toMatchObject({ outcome: 'broken', cause: { code: 'grant_revoked' } })
})

test('two checks at the same moment send the refresh token once; the second says that somebody is at it', async () => {
  const id = await link()
  const { arrived, answer } = holdFirstRefresh()

  const first = check(id)
  await arrived
  const second = await check(id)
  answer()

  expect(second).toMatchObject({ outcome: 'unclear', cause: { code: 'connection_busy' } })
  expect(await first).toMatchObject({ outcome: 'healthy' })
  expect(await platformHasNewest(id)).toBe(true)
  expect(await check(id)).toMatchObject({ outcome: 'healthy' })
})

test('a re-link waits until a check has brought the platform the newest token, then takes its place', async () => {
  const id = await link()
  const { arrived, answer } = holdFirstRefresh()

  const first = check(id)
  await arrived
  const { link: waiting } = await world.relink(id)
  answer()
  const found = await first
  const between = await platformHasNewest(id)
  await world.passTime()

  expect(waiting).toMatchObject({ status: 'pending', cause: { code: 'connection_busy' } })
  expect([found.outcome, between]).toEqual(['healthy', true])
  expect((await world.api('GET', `/links/${waiting.id}`)).body).toMatchObject({ status: 'linked' })
  expect(await platformHasNewest(id)).toBe(true)
  expect(await check(id)).toMatchObject({ outcome: 'healthy' })
})

test('a check that comes while a re-link is under way leaves both grants alone', async () => {
  const id = await link()
  const { arrived, answer } = holdFirstRefresh()

  const relinking = world.relink(id)
  await arrived
  const found = await check(id)
  answer()
  const { link: relinked } = await relinking

  expect(found).toMatchObject({ outcome: 'unclear', cause: { code: 'connection_busy' } })
  expect(relinked).toMatchObject({ status: 'linked' })
  expect(await platformHasNewest(id)).toBe(true)
  expect(await check(id)).toMatchObject({ outcome: 'healthy' })
})

test('nothing is removed from under a check; a moment later it can be', async () => {
  const id = await link()
  const { arrived, answer } = holdFirstRefresh()
  const disconnect = () => world.api('POST', `/connections/${id}/disconnect`, { reason: 'any' })

  const first = check(id)
  await arrived
  const early = await disconnect()
  answer()
  await first
  const late = await disconnect()

  expect(early).toMatchObject({ status: 409, body: { code: 'connection_busy' } })
  expect(late.status).toBeLessThan(300)
})

test('a token that the platform did not take is brought to it within the minute, and not after hours', async () => {
  const id = await link()
  world.platform.fault = ({ method }) => (method === 'PUT' ? 503 : undefined)

  const found = await check(id)
  const owedIn = await dueIn(id)
  world.platform.fault = undefined
  await world.sql.query('update connections set health_due_at = case when id = $1 then now() end', [id])
  await world.flows.checkDueConnections()

  expect(found).toMatchObject({ outcome: 'unclear', cause: { code: 'platform_unavailable' } })
  expect(await world.connection(id)).toMatchObject({ status: 'active' })
  expect(owedIn).toBeLessThan(60)
  expect(await platformHasNewest(id)).toBe(true)
})

test('a check that died with the token in hand is made good when its hold is over', async () => {
  const id = await link()
  await world.world.connections.lockBriefly(id, 'chk_died')

  const locked = await check(id)
  await world.world.connections.lockBriefly(id, 'chk_died')
  const madeGoodIn = await dueIn(id)
  await world.sql.query(`update connections set locked_until = now() - interval '1 second' where id = $1`, [id])
  const later = await check(id)

  expect(locked).toMatchObject({ outcome: 'unclear', cause: { code: 'connection_busy' } })
  expect(madeGoodIn).toBeLessThanOrEqual(60)
  expect(later).toMatchObject({ outcome: 'healthy' })
})
