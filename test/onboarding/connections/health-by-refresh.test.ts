// Checks that refresh the grant, at a provider that ends the grant when a spent refresh token is used.

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
    // Longer than the usual ten seconds: one request is held during a whole re-link.
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

/** A separate account per test, because ending one grant must not affect another test. */
async function link(): Promise<string> {
  accounts += 1
  world.provider.misbehave({ subject: `account-${accounts}`, email: `${accounts}@provider.example` })
  return world.link()
}
let accounts = 0

const check = async (id: string) =>
  (await world.api('POST', `/connections/${id}/health-checks`, { reason: 'any' })).body

/** The platform has the token that the provider accepts. */
async function platformHasNewest(id: string): Promise<boolean> {
  const { REFRESH_TOKEN } = await world.secretsOf(id)
  const inUse = world.provider.issued.find(({ token }) => token === REFRESH_TOKEN)
  return inUse !== undefined && !inUse.spent && !inUse.revoked
}

/** Delays the first refresh only. */
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

test('each check refreshes the grant and writes the new token to the platform', async () => {
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

test('a re-link waits until a check has written the newest token to the platform', async () => {
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

test('a disconnect during a check is rejected, and accepted after it', async () => {
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
