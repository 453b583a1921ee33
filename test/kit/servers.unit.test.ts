import { expect, test } from 'vitest'
import type { RedisClient } from '../../src/kit/database/redis.ts'
import { databaseAddress, generationIn, serversIn, watchPrimary } from '../../src/kit/database/servers.ts'
import { sharePrimary } from '../../src/kit/database/shared-primary.ts'

test.each([
  ['postgres://a:5432/db', ['postgres://a:5432/db']],
  ['postgres://u:p@a:1,b:2/db?x=1', ['postgres://u:p@a:1/db?x=1', 'postgres://u:p@b:2/db?x=1']],
  ['postgres://u:p,q@a/db', ['postgres://u:p,q@a/db']],
  ['postgres://u:p@x,y@a/db', ['postgres://u:p@x,y@a/db']],
  ['postgres://u:p@x,y@a,b/db', ['postgres://u:p@x,y@a/db', 'postgres://u:p@x,y@b/db']],
  ['postgres://[::1]:1,[::2]:2/db', ['postgres://[::1]:1/db', 'postgres://[::2]:2/db']],
  ['postgres://a,b/db?options=x,y', ['postgres://a/db?options=x,y', 'postgres://b/db?options=x,y']],
])('%s names its servers', (address, servers) => {
  expect(serversIn(address)).toEqual(servers)
})

test.each([
  ['postgres://a/db', true],
  ['postgresql://u:p@a:1,b:2/db?target_session_attrs=read-write', true],
  ['postgres://a,b/db?target_session_attrs=primary', true],
  ['postgres://a,b/db?target_session_attrs=prefer-standby', false],
  ['postgres://a,,b/db', false],
  ['postgres:///db', false],
  ['mysql://a/db', false],
  ['a:5432', false],
])('%s is a database address: %s', (address, isValid) => {
  expect(databaseAddress.safeParse(address).success).toBe(isValid)
})

test('a server with a lower timeline was replaced, and one of another system was not', () => {
  const primary = watchPrimary()
  const [old, newer] = ['00000009', '0000000A'].map((timeline) => generationIn({ system: 'one', timeline }))
  if (!old || !newer) throw new Error('no generations')

  primary.learn(newer)
  primary.learn(old)

  expect(primary.newest()).toEqual({ system: 'one', timeline: 10 })
  expect(primary.isReplaced(old)).toBe(true)
  expect(primary.isReplaced(newer)).toBe(false)
  expect(primary.isReplaced({ ...old, system: 'two' })).toBe(false)
})

test.each(['', 'nonsense', '{"system":"one"}'])(
  'an unreadable record of the primary is written again: %j',
  async (text) => {
    let stored = text
    const redis = {
      get: async () => stored,
      async set(_key: string, value: string) {
        stored = value
      },
    }
    const primary = watchPrimary()
    primary.learn({ system: 'one', timeline: 2 })

    await sharePrimary(redis as unknown as RedisClient, primary, 'onboarding')()

    expect(JSON.parse(stored)).toEqual({ system: 'one', timeline: 2 })
  },
)
