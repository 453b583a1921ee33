import { describe, expect, test } from 'vitest'
import type { Connection } from '../../../src/onboarding/domain/connection.ts'
import { admission, isCompared, type UserConnections } from '../../../src/onboarding/domain/end-users/admission.ts'
import type { IfConnected } from '../../../src/onboarding/domain/end-users/if-connected.ts'
import type { Config, UpstreamAccount } from '../../../src/onboarding/domain/link.ts'

const account: UpstreamAccount = { id: '1', label: 'first@provider.example' }
const claimed: UpstreamAccount = { ...account, claimed: true }
const connection = (id: string, more: Partial<Connection> = {}): Connection =>
  ({ id, status: 'active', config: {}, account, ...more }) as Connection
const profile = { inputs: { subdomain: { pattern: '^[a-z]+$' } } } as unknown as Parameters<typeof admission>[2]

const admitted = (
  ifConnected: IfConnected,
  inUse: UserConnections,
  {
    maxConnections = 0,
    config = {},
    of = account,
  }: { maxConnections?: number; config?: Config; of?: UpstreamAccount } = {},
) => admission({ ifConnected, maxConnections, config, account: of }, inUse, profile)

const none: UserConnections = { count: 0, ofAccount: [] }
const other: UserConnections = { count: 1, ofAccount: [] }
const same: UserConnections = { count: 1, ofAccount: [connection('con_1')] }

describe('the granted account', () => {
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

  test('is a different account at another subdomain', () => {
    const at = (subdomain: string): UserConnections => ({
      count: 1,
      ofAccount: [connection('con_1', { config: { subdomain, kept: 'by the answer' } })],
    })

    expect(admitted('refuse', at('acme'), { config: { subdomain: 'other' } }).kind).toBe('add')
    expect(admitted('refuse', at('acme'), { config: { subdomain: 'acme' } }).kind).toBe('refuse')
  })

  test('repairs the broken one of several connections', () => {
    const broken = connection('con_2', { status: 'needs_relink' })
    const inUse = { count: 3, ofAccount: [connection('con_3'), broken, connection('con_1')] }

    expect(admitted('relink', inUse)).toEqual({ kind: 'relink', connection: broken })
  })
})

describe('a claimed account', () => {
  const claimedBefore: UserConnections = { count: 1, ofAccount: [connection('con_1', { account: claimed })] }

  test('does not receive the grant of a verified one', () => {
    expect(admitted('relink', claimedBefore).kind).toBe('add')
  })

  test('does not replace the grant of a verified one', () => {
    expect(admitted('relink', same, { of: claimed }).kind).toBe('add')
  })

  test('is rejected like a verified one', () => {
    expect(admitted('refuse', claimedBefore).kind).toBe('refuse')
    expect(admitted('refuse', same, { of: claimed }).kind).toBe('refuse')
  })
})

describe('a limit', () => {
  test.each([
    ['add', other, 1, 'connection_limit'],
    ['add', same, 1, 'connection_limit'],
    ['relink', other, 1, 'connection_limit'],
    ['refuse', other, 1, 'connection_limit'],
    ['refuse', same, 1, 'already_connected'],
  ] as const)('with %s, of %j and at most %i, rejects', (mode, inUse, maxConnections, cause) => {
    expect(admitted(mode, inUse, { maxConnections })).toEqual({ kind: 'refuse', cause })
  })

  test('does not block re-links', () => {
    expect(admitted('relink', same, { maxConnections: 1 }).kind).toBe('relink')
  })

  test('allows connections below it', () => {
    expect(admitted('add', same, { maxConnections: 2 }).kind).toBe('add')
  })
})

test.each`
  ifConnected | maxConnections | account      | compared
  ${'add'}    | ${0}           | ${account}   | ${false}
  ${'add'}    | ${1}           | ${undefined} | ${true}
  ${'relink'} | ${0}           | ${account}   | ${true}
  ${'relink'} | ${0}           | ${claimed}   | ${false}
  ${'refuse'} | ${0}           | ${claimed}   | ${true}
  ${'refuse'} | ${0}           | ${undefined} | ${false}
`('$ifConnected with a limit of $maxConnections compares $account: $compared', ({ compared, ...applicant }) => {
  expect(isCompared(applicant)).toBe(compared)
})
