import type pg from 'pg'
import { expect, test } from 'vitest'
import { connectionServers } from '../../src/kit/database/connection-servers.ts'
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

/** Of a role that may not call `pg_control_system()`. */
const clientOf = (server: { isStandby: boolean }) =>
  ({
    query: async (statement: string) => {
      if (!statement.includes('pg_control_system')) return { rows: [{ is_standby: server.isStandby, timeline: null }] }
      throw Object.assign(new Error('permission denied'), { code: '42501' })
    },
  }) as unknown as pg.ClientBase

test('of several servers a standby is left also if it does not tell its timeline', async () => {
  const servers = connectionServers(['postgres://127.0.0.1:1/db', 'postgres://127.0.0.1:2/db'], watchPrimary())
  const [standby, primary] = [clientOf({ isStandby: true }), clientOf({ isStandby: false })]

  await expect(servers.admit(standby)).rejects.toMatchObject({ code: '25006' })
  await servers.admit(primary)

  expect(servers.isCurrent(primary)).toBe(true)
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
