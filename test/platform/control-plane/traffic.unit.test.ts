// Which revisions get requests, and what stays in the state of a resource.
import { expect, test } from 'vitest'
import {
  isServing,
  percentOf,
  settledState,
  trafficOf,
  withRevision,
} from '../../../src/platform/control-plane/domain/revisions.ts'
import { containersOf } from '../../../src/platform/control-plane/domain/served-image.ts'

const agent = (revision: object | undefined, state: object = {}, status = 'DEPLOYED') => ({
  id: 'r1',
  kind: 'agent',
  spec: { runtime: { image: 'acme/agent' }, ...(revision && { revision }) } as never,
  state: state as never,
  status,
})

const third = { revision: 'r3', accepted: 'r3', before: 'r2' }

test.each([
  ['the first revision', agent(undefined), { r1: 100 }],
  ['the newest one by default', agent(undefined, third), { r3: 100 }],
  [
    'the newest one while another is deployed',
    agent(undefined, { ...third, revision: 'r4' }, 'DEPLOYING'),
    { r3: 100 },
  ],
  ['the one that `active` names', agent({ active: 'r1' }, third), { r1: 100 }],
  ['a canary', agent({ active: 'r2', canary: 'r1', canaryPercent: 10 }, third), { r2: 90, r1: 10 }],
  ['a canary without a percentage: nothing', agent({ canary: 'r1' }, third), { r3: 100 }],
  ['a canary with all requests', agent({ canary: 'r1', canaryPercent: 100 }, third), { r1: 100 }],
  ['the canary that is also active', agent({ active: 'r2', canary: 'r2', canaryPercent: 10 }, third), { r2: 100 }],
  ['the newest one by `traffic`', agent({ traffic: 20 }, third), { r2: 80, r3: 20 }],
  ['the newest one by `traffic` beside `active`', agent({ active: 'r1', traffic: 20 }, third), { r1: 80, r3: 20 }],
  ['none of the newest one', agent({ traffic: 0 }, third), { r2: 100 }],
  ['all of the newest one', agent({ traffic: 100 }, third), { r3: 100 }],
  ['the first one by `traffic`', agent({ traffic: 20 }), { r1: 100 }],
  ['a named canary before `traffic`', agent({ canary: 'r1', canaryPercent: 5, traffic: 90 }, third), { r2: 95, r1: 5 }],
  ['no revision that was not accepted', agent({ active: 'r4' }, { ...third, revision: 'r4' }, 'FAILED'), { r3: 100 }],
])('requests go to %s', (_what, resource, expected) => {
  const traffic = trafficOf(resource)

  const shares = ['r1', 'r2', 'r3', 'r4'].map((id) => [id, percentOf(traffic, id)])

  expect(Object.fromEntries(shares.filter(([, percent]) => percent !== 0))).toEqual(expected)
})

test('an accepted revision remembers which one was active before it', () => {
  const now = new Date(0)
  const made = agent({ active: 'r1' }, withRevision({ accepted: 'r1' }, 'r2', 'ada', now), 'DEPLOYING')

  const state = settledState(made, 'accepted')

  expect(state).toEqual({
    ...{ revision: 'r2', revisedAt: now.toISOString(), revisedBy: 'ada' },
    ...{ accepted: 'r2', before: 'r1' },
  })
  expect(settledState({ ...made, state }, 'accepted')).toEqual(state)
})

test.each([
  ['the container of a new revision did not start', { revision: 'r2', accepted: 'r1' }, 'container_failed', true],
  ['its container does not start any more', { revision: 'r1', accepted: 'r1' }, 'container_failed', false],
  ['its first container did not start', {}, 'container_failed', false],
  ['a rule forbids it', { revision: 'r2', accepted: 'r1' }, 'other', false],
  [
    'a rule forbids it, after a container did not start',
    { revision: 'r2', accepted: 'r1', failed: 'r2' },
    'other',
    false,
  ],
] as const)('a FAILED workload serves only if an earlier revision can: %s', (_when, state, outcome, expected) => {
  const failed = agent(undefined, state, 'FAILED')

  expect(isServing({ ...failed, state: settledState(failed, outcome) })).toBe(expected)
})

test.each([
  ['the active one', agent(undefined, third), { r3: 'wanted' }],
  ['both that get requests', agent({ canary: 'r1', canaryPercent: 10 }, third), { r3: 'wanted', r1: 'wanted' }],
  [
    'the one that is being deployed',
    agent(undefined, { ...third, revision: 'r4' }, 'DEPLOYING'),
    { r3: 'wanted', r4: 'wanted' },
  ],
  ['none of a disabled agent', agent(undefined, third, 'DEACTIVATED'), { r3: 'kept' }],
])('containers are wanted for %s', (_what, resource, expected) => {
  const earlier = ['r1', 'r2', 'r3'].map((id) => ({ id, image: 'acme/agent' }))
  const served = { ...resource, kind: 'agent' as const, workspace: 'acme', name: 'a', settledAt: new Date(0) }
  const others = earlier.filter(({ id }) => id !== (resource.state as { revision: string }).revision)

  const later = containersOf({ ...served, earlier: others }, new Date(120_000))
  const soon = containersOf({ ...served, earlier: others }, new Date(10_000))

  expect(Object.fromEntries(later.map(({ id, mayRun }) => [id, mayRun ? 'wanted' : 'kept']))).toEqual(expected)
  expect(soon.filter(({ lingers }) => lingers).map(({ id }) => id)).toEqual(
    soon.map(({ id }) => id).filter((id) => !later.some((each) => each.id === id)),
  )
})
