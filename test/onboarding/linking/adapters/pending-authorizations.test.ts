// The contract of all stores of pending authorizations.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { lateSeconds } from '../../../../src/onboarding/adapters/redis/keys.ts'
import type { PendingAuthorizations } from '../../../../src/onboarding/domain/ports/linking.ts'
import { memoryPending } from '../../../../src/onboarding/linking/adapters/memory-pending-authorizations.ts'
import { redisPending } from '../../../../src/onboarding/linking/adapters/redis-pending-authorizations.ts'
import { openTestRedis, type TestRedis } from '../../../support/processes/stores.ts'

let redis: TestRedis
const stores: Record<string, () => Pick<PendingAuthorizations, 'put' | 'claim'>> = {
  Redis: () => redisPending(redis.client, { digest: (text) => `digest-of-${text}` }),
  memory: () => memoryPending(() => new Date()),
}

beforeAll(async () => {
  redis = await openTestRedis()
})
afterAll(() => redis.stop())

const pending = {
  link: 'link-1',
  callback: 'gmail/issuer-1',
  verifier: 'sealed',
  nonce: 'nonce-1',
  browser: 'browser-1',
}
const rightful = { attempt: 'attempt-1', browsers: ['another', 'browser-1'], callback: 'gmail/issuer-1' }

let states = 0
const newState = () => `state-${states++}`

describe.each(Object.entries(stores))('a pending authorization in %s', (_name, open) => {
  test('is claimed once, and the next attempt is reported as a replay', async () => {
    const [store, state] = [open(), newState()]
    await store.put(state, pending, 60)

    const first = await store.claim(state, rightful)
    const next = await store.claim(state, { ...rightful, attempt: 'attempt-2' })

    expect([first, next]).toEqual([
      { outcome: 'first', pending },
      { outcome: 'replay', pending },
    ])
  })

  test('is the first claim again for the same attempt, because its response may be lost', async () => {
    const [store, state] = [open(), newState()]
    await store.put(state, pending, 60)

    const twice = [await store.claim(state, rightful), await store.claim(state, rightful)]

    expect(twice.map(({ outcome }) => outcome)).toEqual(['first', 'first'])
  })

  test('has one winner among concurrent attempts', async () => {
    const [store, state] = [open(), newState()]
    await store.put(state, pending, 60)

    const attempts = Array.from({ length: 20 }, (_, n) => store.claim(state, { ...rightful, attempt: `attempt-${n}` }))
    const outcomes = (await Promise.all(attempts)).map(({ outcome }) => outcome)

    expect(outcomes.filter((outcome) => outcome === 'first')).toHaveLength(1)
    expect(outcomes.filter((outcome) => outcome === 'replay')).toHaveLength(19)
  })

  test.each([
    ['another browser', { browsers: ['stranger'] }, 'foreign_browser'],
    ['no browser', { browsers: [] }, 'foreign_browser'],
    ['the callback of another integration', { callback: 'slack' }, 'foreign_callback'],
    ['the callback of another issuer', { callback: 'gmail/issuer-2' }, 'foreign_callback'],
    ['the callback without its issuer', { callback: 'gmail' }, 'foreign_callback'],
  ])('is not given to %s, and is not used up by it', async (_who, change, outcome) => {
    const [store, state] = [open(), newState()]
    await store.put(state, pending, 60)

    const refused = await store.claim(state, { ...rightful, attempt: 'attempt-2', ...change })
    const afterwards = await store.claim(state, rightful)

    expect([refused, afterwards.outcome]).toEqual([{ outcome, link: pending.link }, 'first'])
  })

  test('is unknown if it was never stored', async () => {
    expect(await open().claim(newState(), rightful)).toEqual({ outcome: 'unknown' })
  })

  test('is reported as expired after its deadline, and as unknown long after', async () => {
    const store = open()
    const [late, gone] = [newState(), newState()]
    await store.put(late, pending, 0)
    await store.put(gone, pending, -lateSeconds)

    const claims = [await store.claim(late, rightful), await store.claim(gone, rightful)]

    expect(claims).toEqual([{ outcome: 'expired', link: pending.link }, { outcome: 'unknown' }])
  })
})
