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
  statusOf,
} from '../../../src/onboarding/domain/link.ts'
import { retryDelaySeconds } from '../../../src/onboarding/domain/retries.ts'

function ahead(from: LinkState, past: LinkState[] = []): Set<LinkState> {
  const reached = new Set<LinkState>()
  const walk = (at: LinkState) => {
    for (const to of linkStates.filter((each) => mayMove(at, each) && !past.includes(each) && !reached.has(each))) {
      reached.add(to)
      walk(to)
    }
  }
  walk(from)
  return reached
}

const into = (state: LinkState) => linkStates.filter((from) => mayMove(from, state))

describe('link moves', () => {
  test('lead from the start to every state, and from every state to an end', () => {
    expect([...ahead('authorizing')].sort()).toEqual([...linkStates].sort())
    for (const state of linkStates) expect(isEnded(state) || [...ahead(state)].some(isEnded)).toBe(true)
    expect(linkStates.filter(isEnded)).toEqual([
      'linked',
      'cancelled',
      'denied',
      'abandoned',
      'failed',
      'exchange_unknown',
    ])
  })

  test('spend a code once: only a new consent leads from the exchange back to it', () => {
    const reached = ahead('exchanging', ['authorizing'])

    expect(reached).not.toContain('exchanging')
    expect(reached).not.toContain('code_waiting')
  })

  test('treat a token request as unsent only if its sender takes the intent back', () => {
    expect(linkStates.filter((to) => mayMove('exchanging', to))).toEqual([
      'authorizing',
      'escrowed',
      'linked',
      'failed',
      'exchange_unknown',
    ])
    expect(into('exchange_unknown')).toEqual(['exchanging'])
  })

  test('release a grant from escrow only to use, revoke or review it', () => {
    for (const from of linkStates.filter(isProvisioning)) {
      const out = linkStates.filter((to) => mayMove(from, to) && !isProvisioning(to))
      expect(['authorizing', 'failed', 'linked', 'needs_attention']).toEqual(expect.arrayContaining(out))
    }
  })

  test('link an account only from escrow, unless a failover lost it after the code was sent', () => {
    expect(ahead('authorizing', ['exchanging'])).not.toContain('linked')
    expect(linkStates.filter((from) => !isProvisioning(from) && mayMove(from, 'linked'))).toEqual(['exchanging'])
  })

  test('test the new grant of a re-link before it replaces the old one', () => {
    expect(into('tested')).toEqual(['testing', 'needs_attention'])
    expect(into('verified')).toEqual(['function_ready', 'needs_attention'])
  })

  test('resume a reviewed link at any step', () => {
    for (const state of linkStates.filter(isProvisioning)) expect(mayMove('needs_attention', state)).toBe(true)
  })

  test('end in denial only before a grant exists', () => {
    expect(into('denied')).toEqual(['authorizing'])
    expect(into('abandoned')).toEqual(['authorizing', 'code_waiting'])
  })
})

test('only states that hold a grant continue without the user', () => {
  expect(linkStates.filter(isProvisioning)).toEqual([
    'escrowed',
    'testing',
    'tested',
    'connection_ready',
    'function_ready',
    'verified',
    'rolling_back',
    'revoking',
  ])
})

test.each<[LinkState, string]>([
  ['authorizing', 'pending'],
  ['code_waiting', 'pending'],
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
])('reports %s to callers as %s', (state, status) => {
  expect(statusOf(state)).toBe(status)
})

describe('progress', () => {
  test('a running link has one current step, with done steps before and waiting steps after it', () => {
    expect(
      progressOf({ state: 'connection_ready', resumeFrom: undefined, cause: undefined }).map(
        ({ progress }) => progress,
      ),
    ).toEqual(['done', 'done', 'done', 'current', 'waiting'])
  })

  test('a link that needs attention shows its current step as failed', () => {
    const steps = progressOf({ state: 'needs_attention', resumeFrom: 'function_ready', cause: 'platform_refused' })

    expect(steps.at(-1)).toEqual({ step: 'verification', progress: 'failed' })
  })

  test('O3: a function that does not start is not shown as done', () => {
    const steps = progressOf({ state: 'needs_attention', resumeFrom: 'function_ready', cause: 'function_failed' })

    expect(steps.map(({ progress }) => progress)).toEqual(['done', 'done', 'done', 'failed', 'waiting'])
  })

  test('a link that was never completed keeps its consent as done and shows the next step as failed', () => {
    const waiting = progressOf({ state: 'code_waiting', resumeFrom: undefined, cause: undefined })
    const late = progressOf({ state: 'abandoned', resumeFrom: undefined, cause: 'completion_missing' })
    const refused = progressOf({ state: 'failed', resumeFrom: undefined, cause: 'completion_refused' })
    const left = progressOf({ state: 'abandoned', resumeFrom: undefined, cause: 'session_expired' })

    expect(waiting.slice(0, 2).map(({ progress }) => progress)).toEqual(['done', 'current'])
    expect(late.slice(0, 2).map(({ progress }) => progress)).toEqual(['done', 'failed'])
    expect(refused).toEqual(late)
    expect(left.slice(0, 2).map(({ progress }) => progress)).toEqual(['failed', 'waiting'])
  })

  test('a finished link has every step done', () => {
    const steps = progressOf({ state: 'linked', resumeFrom: undefined, cause: undefined })

    expect(new Set(steps.map(({ progress }) => progress))).toEqual(new Set(['done']))
  })
})

test('consent is requested again only while authorizing, and a second round has its own completion code', () => {
  expect(needsConsentAgain({ state: 'authorizing', forcedConsent: true })).toBe(true)
  expect(needsConsentAgain({ state: 'authorizing', forcedConsent: false })).toBe(false)
  expect(needsConsentAgain({ state: 'failed', forcedConsent: true })).toBe(false)
  expect(completionRound({ id: 'lnk_1', forcedConsent: true })).not.toBe(
    completionRound({ id: 'lnk_1', forcedConsent: false }),
  )
})

test('retry delays grow to a minute, and the platform’s Retry-After is honored up to ten minutes', () => {
  fc.assert(
    fc.property(fc.nat(1_000), fc.double({ min: 0, max: 1, noNaN: true }), (attempts, chance) => {
      const delay = retryDelaySeconds(attempts, undefined, chance)
      return delay > 0 && delay <= 60
    }),
  )
  expect(retryDelaySeconds(0, 7, 0)).toBe(7)
  expect(retryDelaySeconds(0, 100_000, 0)).toBe(600)
})

test('jitter spreads retries of one moment, and none is early', () => {
  const delays = [0, 0.25, 0.5, 0.75, 1].map((chance) => retryDelaySeconds(0, 30, chance))

  expect(new Set(delays).size).toBe(5)
  expect(Math.min(...delays)).toBe(30)
  expect(Math.max(...delays)).toBeLessThan(40)
  // Repeated Retry-After responses still back off.
  expect(retryDelaySeconds(6, 0, 0.5)).toBeGreaterThan(10)
})
