import { describe, expect, test } from 'vitest'
import { DependencyError } from '../../../src/onboarding/domain/dependency-error.ts'
import type { Link } from '../../../src/onboarding/domain/link.ts'
import type { AtStep } from '../../../src/onboarding/provisioning/flows/decision.ts'
import {
  afterRevocation,
  onStepFailure,
  whileUnrevoked,
} from '../../../src/onboarding/provisioning/flows/failure-policy.ts'
import { linkKinds } from '../../../src/onboarding/provisioning/flows/link-kinds.ts'
import { provisioningInMemory } from '../../support/worlds/provisioning-in-memory.ts'

function failing(link: Partial<Link>, integration = {}) {
  const world = provisioningInMemory({ link, integration })
  const at = world.now() as AtStep
  return { world, decide: (error: DependencyError) => onStepFailure(world, at, error, linkKinds[at.kind]) }
}

const away = new DependencyError('platform_unavailable', { retry: {} })
const refused = new DependencyError('platform_refused', { detail: '403' })
const silent = new DependencyError('function_failed', { retry: {} })

describe('any link', () => {
  test.each([
    [0, 0.25],
    [1, 0.5],
    [4, 4],
    [20, 30],
  ])(
    'after %i attempts waits at least %d seconds, and never gives up on an unavailable server',
    async (attempts, seconds) => {
      const decision = await failing({ attempts }).decide(away)

      expect(decision).toEqual({ kind: 'retry', inSeconds: seconds, cause: 'platform_unavailable' })
    },
  )

  test('waits as long as the other server’s Retry-After', async () => {
    const decision = await failing({}).decide(
      new DependencyError('platform_unavailable', { retry: { afterSeconds: 90 } }),
    )

    expect(decision).toMatchObject({ kind: 'retry', inSeconds: 90 })
  })

  test.each([
    [9, 'retry'],
    [10, 'park'],
  ])('whose function does not start has ten attempts: after %i the decision is %s', async (attempts, kind) => {
    const decision = await failing({ state: 'connection_ready', attempts }).decide(silent)

    expect(decision).toMatchObject({ kind, cause: 'function_failed' })
  })

  test.each(['platform_refused', 'name_taken'] as const)(
    'keeps a valid grant if the platform returns %s',
    async (cause) => {
      const decision = await failing({ state: 'connection_ready' }).decide(
        new DependencyError(cause, { detail: 'why' }),
      )

      expect(decision).toEqual({ kind: 'park', cause, resumeFrom: 'connection_ready', facts: { detail: 'why' } })
    },
  )

  test('keeps a valid grant if a URL of the app is blocked', async () => {
    const decision = await failing({ state: 'escrowed' }).decide(
      new DependencyError('address_blocked', { detail: 'blocked' }),
    )

    expect(decision).toEqual({
      kind: 'park',
      cause: 'address_blocked',
      resumeFrom: 'escrowed',
      facts: { detail: 'blocked' },
    })
  })

  test('with an invalid grant fails and revokes it', async () => {
    const decision = await failing({}).decide(new DependencyError('identity_invalid'))

    expect(decision).toEqual({ kind: 'fail', cause: 'identity_invalid', revoke: true, facts: {} })
  })
})

describe('a re-link', () => {
  test.each(['connection_ready', 'function_ready'] as const)('that is rejected at %s is rolled back', async (state) => {
    const decision = await failing({ kind: 'relink', state }).decide(refused)

    expect(decision).toMatchObject({ kind: 'move', to: 'rolling_back', changes: { cause: 'relink_rolled_back' } })
  })

  test('is parked if there is no grant to restore', async () => {
    const { world, decide } = failing({ kind: 'relink', state: 'function_ready' })
    world.stored.current = undefined

    expect(await decide(refused)).toMatchObject({
      kind: 'park',
      cause: 'function_failed',
      resumeFrom: 'function_ready',
      facts: { detail: 'platform_refused: 403' },
    })
  })

  test('can be rolled back if the old connection still exists', async () => {
    const { world, decide } = failing({ kind: 'relink', state: 'function_ready' })
    world.stored.current = undefined
    world.settings.connectionPut = false

    expect(await decide(refused)).toMatchObject({ kind: 'move', to: 'rolling_back' })
  })

  test.each([
    [2, 'retry'],
    [3, 'move'],
  ])('gives a function that worked before three attempts: after %i the decision is %s', async (attempts, kind) => {
    expect(await failing({ kind: 'relink', state: 'function_ready', attempts }).decide(silent)).toMatchObject({ kind })
  })

  test('is parked if the platform rejects the new secrets', async () => {
    const decision = await failing({ kind: 'relink', state: 'tested' }).decide(refused)

    expect(decision).toMatchObject({ kind: 'park', resumeFrom: 'tested' })
  })

  test('waits before the trial refresh if tokens rotate, and in it otherwise', async () => {
    const error = new DependencyError('provider_unavailable', { retry: {} })
    const link = { kind: 'relink', state: 'testing' } as const

    const rotating = await failing(link, { rotation: 'replaces' }).decide(error)
    const other = await failing(link).decide(error)

    expect(rotating).toEqual({
      kind: 'move',
      to: 'escrowed',
      changes: { cause: 'provider_unavailable', dueInSeconds: 4 },
      facts: { cause: 'provider_unavailable' },
    })
    expect(other).toMatchObject({ kind: 'retry' })
  })
})

test('a re-link whose token was not sent resumes before the trial refresh', async () => {
  const link = { kind: 'relink', state: 'testing' } as const

  const decision = await failing(link, { rotation: 'replaces' }).decide(new DependencyError('address_blocked'))

  expect(decision).toMatchObject({ kind: 'park', cause: 'address_blocked', resumeFrom: 'escrowed' })
})

describe('after a revocation', () => {
  const link = (more: Partial<Link>) => provisioningInMemory({ link: more }).now() as AtStep
  const failed = { kind: 'fail', cause: 'scope_missing', revoke: true } as const
  const unconfirmed = { ...failed, cause: 'identity_invalid' } as const
  const needs = { chance: () => 0, tokens: provisioningInMemory().ports.tokens }

  test.each([
    { kind: 'first', outcome: 'revoked' },
    { kind: 'relink', outcome: 'revoked' },
    { kind: 'first', outcome: 'shared' },
    { kind: 'first', outcome: 'not_offered' },
    { kind: 'relink', outcome: 'not_offered' },
  ] as const)(
    'with the outcome $outcome the link ends, and the audit entry contains it ($kind)',
    ({ kind, outcome }) => {
      const decision = afterRevocation(link({ kind }), failed, outcome, needs)

      expect(decision).toMatchObject({ kind: 'fail', cause: 'scope_missing', revoke: false, facts: { grant: outcome } })
    },
  )

  test.each([
    { kind: 'first', attempts: 0, outcome: 'refused', decided: { kind: 'park', resumeFrom: 'escrowed' } },
    { kind: 'first', attempts: 0, outcome: 'not_offered', decided: { kind: 'park', resumeFrom: 'escrowed' } },
    { kind: 'relink', attempts: 2, outcome: 'refused', decided: { kind: 'retry', cause: 'provider_unavailable' } },
    { kind: 'relink', attempts: 2, outcome: 'blocked', decided: { kind: 'retry', cause: 'address_blocked' } },
    { kind: 'first', attempts: 0, outcome: 'blocked', decided: { kind: 'park', facts: { grant: 'blocked' } } },
    { kind: 'relink', attempts: 3, outcome: 'refused', decided: { kind: 'park', resumeFrom: 'rolling_back' } },
  ] as const)('with the outcome $outcome after $attempts attempts the grant is kept ($kind)', (row) => {
    const { kind, attempts, outcome, decided } = row

    const stopped = link({ kind, attempts, state: 'rolling_back' })
    expect(afterRevocation(stopped, unconfirmed, outcome, needs)).toMatchObject(decided)
  })

  test('O13: that was rejected, a link for the user to fix ends immediately and revokes later', () => {
    const changes = { missingScopes: ['files.read'] }

    const decision = afterRevocation(link({}), { ...failed, changes }, 'refused', needs)

    expect(decision).toMatchObject({
      kind: 'move',
      to: 'revoking',
      changes: { ...changes, cause: 'scope_missing', dueInSeconds: 0.25, event: { name: 'link.failed' } },
    })
  })

  test.each([
    { attempts: 11, decided: { kind: 'retry', cause: 'scope_missing' } },
    { attempts: 12, decided: { kind: 'park', cause: 'scope_missing', resumeFrom: 'revoking' } },
  ])('O13: that is rejected repeatedly, the link is parked: after $attempts attempts', ({ attempts, decided }) => {
    expect(afterRevocation(link({ state: 'revoking', attempts }), failed, 'refused', needs)).toMatchObject(decided)
  })

  test('an unrevoked grant is parked with its cause and facts', () => {
    const changes = { account: { id: 'account-1', label: 'first' } }

    const facts = { detail: 'why' }

    const decision = whileUnrevoked(link({ state: 'revoking' }), { cause: 'name_taken', changes, facts }, 0)

    expect(decision).toEqual({ kind: 'park', cause: 'name_taken', changes, facts, resumeFrom: 'escrowed' })
  })
})
