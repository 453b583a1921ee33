import { MemoryStore, type SessionData, type Store } from 'express-session'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryConsoleSessions } from '../../../../src/onboarding/console/adapters/memory-console-sessions.ts'
import {
  redisConsoleSessions,
  redisConsoleStore,
} from '../../../../src/onboarding/console/adapters/redis-console-sessions.ts'
import type { ConsoleSessions } from '../../../../src/onboarding/domain/ports/console.ts'
import { openTestRedis, type TestRedis } from '../../../support/processes/stores.ts'

let redis: TestRedis

beforeAll(async () => {
  redis = await openTestRedis()
})

afterAll(() => redis.stop())

const digest = (text: string) => `digest-of-${text}`

const kinds: Array<[string, () => { store: Store; sessions: ConsoleSessions }]> = [
  [
    'Redis',
    () => ({ store: redisConsoleStore(redis.client), sessions: redisConsoleSessions(redis.client, { digest }) }),
  ],
  [
    'this process',
    () => {
      const store = new MemoryStore()
      return { store, sessions: memoryConsoleSessions(store, () => new Date()) }
    },
  ],
]

describe.each(kinds)('sessions kept in %s', (_, open) => {
  test('of one user end together, including their grants', async () => {
    const { store, sessions } = open()
    for (const id of ['one', 'two', 'other']) await put(store, id)
    await sessions.remember('person', 'one', 'sealed-1')
    await sessions.remember('person', 'two', undefined)
    await sessions.remember('somebody', 'other', 'sealed-2')

    const ended = await sessions.endAll('person')

    expect(ended).toBe(2)
    expect([await has(store, 'one'), await has(store, 'two'), await has(store, 'other')]).toEqual([false, false, true])
    expect([await sessions.grantOf('one'), await sessions.grantOf('other')]).toEqual([undefined, 'sealed-2'])
  })

  test('keep the newest grant, and none after they are forgotten', async () => {
    const { store, sessions } = open()
    await put(store, 'kept')
    await sessions.remember('keeper', 'kept', 'first')

    await sessions.keepGrant('kept', 'second')
    const newest = await sessions.grantOf('kept')
    await sessions.forget('keeper', 'kept')

    expect(newest).toBe('second')
    expect(await sessions.grantOf('kept')).toBeUndefined()
    expect(await sessions.endAll('keeper')).toBe(0)
  })

  test('accept a form once per session', async () => {
    const { sessions } = open()

    const taken = await Promise.all([sessions.claimForm('one', 'a'), sessions.claimForm('one', 'a')])
    const others = [await sessions.claimForm('one', 'b'), await sessions.claimForm('two', 'a')]

    expect(taken.sort()).toEqual([false, true])
    expect(others).toEqual([true, true])
  })
})

test('all keys in Redis expire', async () => {
  const lifetimes = await Promise.all((await redis.client.keys('*')).map((key) => redis.client.ttl(key)))

  expect(lifetimes.length).toBeGreaterThan(0)
  expect(lifetimes.every((seconds) => seconds > 0)).toBe(true)
})

const put = (store: Store, id: string) =>
  new Promise<void>((resolve, reject) =>
    store.set(id, { cookie: { originalMaxAge: 1_000 } } as SessionData, (error) => (error ? reject(error) : resolve())),
  )

const has = (store: Store, id: string) =>
  new Promise<boolean>((resolve, reject) =>
    store.get(id, (error, found) => (error ? reject(error) : resolve(Boolean(found)))),
  )
