import { describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { admission, isCompared, type UserConnections } from '../../../src/onboarding/domain/end-users/admission.ts'
import type { IfConnected } from '../../../src/onboarding/domain/end-users/if-connected.ts'
import type { Config } from '../../../src/onboarding/domain/link.ts'

const connection = (id: string, more: Partial<Connection> = {}): Connection =>
  ({ id, status: 'active', config: {}, ...more }) as Connection
const profile = { inputs: { subdomain: { pattern: '^[a-z]+$' } } } as unknown as Parameters<typeof admission>[2]

const admitted = (
  ifConnected: IfConnected,
  inUse: UserConnections,
  { maxConnections = 0, config = {} }: { maxConnections?: number; config?: Config } = {},
) => admission({ ifConnected, maxConnections, config }, inUse, profile)

const none: UserConnections = { count: 0, ofAccount: [] }
const other: UserConnections = { count: 1, ofAccount: [] }
const same: UserConnections = { count: 1, ofAccount: [connection('con_1')] }

describe('the account that was just granted', () => {
  test.each([
    ['add', none, 'add'],
    ['add', same, 'add'],
    ['relink', none, 'add'],
    ['relink', other, 'add'],
    ['relink', same, 'relink'],
    ['refuse', none, 'add'],
    ['refuse', other, 'add'],
    ['refuse', same, 'refuse'],
  ] as const)('with %s, of %j', (mode, inUse, kind) => {
    expect(admitted(mode, inUse).kind).toBe(kind)
  })

  test('is another one at another subdomain', () => {
    const at = (subdomain: string): UserConnections => ({
      count: 1,
      ofAccount: [connection('con_1', { config: { subdomain, kept: 'by the answer' } })],
    })

    expect(admitted('refuse', at('acme'), { config: { subdomain: 'other' } }).kind).toBe('add')
    expect(admitted('refuse', at('acme'), { config: { subdomain: 'acme' } }).kind).toBe('refuse')
  })

  test('of several connections, mends the one that needs it', () => {
    const broken = connection('con_2', { status: 'needs_relink' })
    const inUse = { count: 3, ofAccount: [connection('con_3'), broken, connection('con_1')] }

    expect(admitted('relink', inUse)).toEqual({ kind: 'relink', connection: broken })
  })
})

describe('a limit', () => {
  test.each([
    ['add', other, 1, 'connection_limit'],
    ['add', same, 1, 'connection_limit'],
    ['relink', other, 1, 'connection_limit'],
    ['refuse', other, 1, 'connection_limit'],
    ['refuse', same, 1, 'already_connected'],
  ] as const)('with %s, of %j and at most %i, refuses', (mode, inUse, maxConnections, cause) => {
    expect(admitted(mode, inUse, { maxConnections })).toEqual({ kind: 'refuse', cause })
  })

  test('does not block re-links', () => {
    expect(admitted('relink', same, { maxConnections: 1 }).kind).toBe('relink')
  })

  test('leaves room below it', () => {
    expect(admitted('add', same, { maxConnections: 2 }).kind).toBe('add')
  })
})

test('nothing is compared where every account is added', () => {
  expect([isCompared('add', 0), isCompared('add', 1), isCompared('relink', 0), isCompared('refuse', 0)]).toEqual([
    false,
    true,
    true,
    true,
  ])
})
