import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  completionRound,
  isEnded,
  isProvisioning,
  type LinkState,
  linkStates,
  mayMove,
  needsConsentAgain,
  progressOf,
  retryDelaySeconds,
  statusOf,
} from '../../../src/onboarding/domain/link.ts'

/** Written out once more by hand: a move that is added or lost in the table shows here. */
const allowed: Record<LinkState, LinkState[]> = {
  authorizing: ['authorizing', 'code_held', 'exchanging', 'denied', 'abandoned', 'failed'],
  code_held: ['exchanging', 'abandoned', 'failed'],
  exchanging: ['escrowed', 'exchange_unknown', 'failed'],
  escrowed: ['connection_ready', 'function_ready', 'linked', 'proving', 'authorizing', 'failed', 'needs_attention'],
  proving: ['proven', 'escrowed', 'failed', 'needs_attention'],
  proven: ['connection_ready', 'failed', 'needs_attention'],
  connection_ready: ['function_ready', 'linked', 'rolling_back', 'failed', 'needs_attention'],
  function_ready: ['linked', 'verified', 'rolling_back', 'failed', 'needs_attention'],
  verified: ['linked', 'failed', 'needs_attention'],
  rolling_back: ['failed', 'needs_attention'],
  giving_back: ['failed', 'needs_attention'],
  needs_attention: [
    'escrowed',
    'proving',
    'proven',
    'connection_ready',
    'function_ready',
    'verified',
    'rolling_back',
    'giving_back',
    'failed',
  ],
  linked: [],
  denied: [],
  abandoned: [],
  failed: [],
  exchange_unknown: [],
}

const pairs = linkStates.flatMap((from) => linkStates.map((to) => ({ from, to, may: allowed[from].includes(to) })))

test.each(pairs)('a link may go from $from to $to: $may', ({ from, to, may }) => {
  expect(mayMove(from, to)).toBe(may)
})

test('what has ended moves nowhere, and everything else does', () => {
  for (const state of linkStates) expect(isEnded(state)).toBe(allowed[state].length === 0)
})

test('a code is never spent twice: no way leads from the exchange back to it but a new consent', () => {
  const reached = new Set<LinkState>()
  const walk = (from: LinkState) => {
    for (const to of allowed[from]) {
      if (to === 'authorizing' || reached.has(to)) continue
      reached.add(to)
      walk(to)
    }
  }
  walk('exchanging')

  expect(reached).not.toContain('exchanging')
  expect(reached).not.toContain('code_held')
})

test('only states that hold a grant are carried on without the user', () => {
  expect(linkStates.filter(isProvisioning)).toEqual([
    'escrowed',
    'proving',
    'proven',
    'connection_ready',
    'function_ready',
    'verified',
    'rolling_back',
    'giving_back',
  ])
})

test.each<[LinkState, string]>([
  ['authorizing', 'pending'],
  ['code_held', 'pending'],
  ['exchanging', 'pending'],
  ['escrowed', 'pending'],
  ['connection_ready', 'pending'],
  ['function_ready', 'pending'],
  ['needs_attention', 'needs_attention'],
  ['linked', 'linked'],
  ['denied', 'denied'],
  ['abandoned', 'abandoned'],
  ['failed', 'failed'],
  ['exchange_unknown', 'failed'],
])('a caller is told of %s as %s', (state, status) => {
  expect(statusOf(state)).toBe(status)
})

describe('progress', () => {
  test('a link that is under way has one current step, those before it done, those after it waiting', () => {
    expect(progressOf({ state: 'connection_ready', stoppedAt: undefined }).map(({ progress }) => progress)).toEqual([
      'done',
      'done',
      'done',
      'current',
      'waiting',
    ])
  })

  test('a link that needs attention shows the step it stopped at as failed', () => {
    const steps = progressOf({ state: 'needs_attention', stoppedAt: 'function_ready' })

    expect(steps.at(-1)).toEqual({ step: 'verification', progress: 'failed' })
  })

  test('a finished link has every step done', () => {
    const steps = progressOf({ state: 'linked', stoppedAt: undefined })

    expect(new Set(steps.map(({ progress }) => progress))).toEqual(new Set(['done']))
  })
})

test('consent is asked for again only while authorizing, and a second round has a completion code of its own', () => {
  expect(needsConsentAgain({ state: 'authorizing', forcedConsent: true })).toBe(true)
  expect(needsConsentAgain({ state: 'authorizing', forcedConsent: false })).toBe(false)
  expect(needsConsentAgain({ state: 'failed', forcedConsent: true })).toBe(false)
  expect(completionRound({ id: 'lnk_1', forcedConsent: true })).not.toBe(
    completionRound({ id: 'lnk_1', forcedConsent: false }),
  )
})

test('the wait between tries grows to a minute at most, and the platform’s own wish is kept up to ten', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, chance) => {
      const delay = retryDelaySeconds(attempts, undefined, chance)
      return delay > 0 && delay <= 60
    }),
  )
  expect(retryDelaySeconds(0, 7, 0)).toBe(7)
  expect(retryDelaySeconds(0, 100_000, 0)).toBe(600)
})
