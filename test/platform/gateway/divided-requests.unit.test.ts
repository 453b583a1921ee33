import { expect, test } from 'vitest'
import { isForCanary } from '../../../src/platform/gateway/domain/divided-requests.ts'
import type { Workload } from '../../../src/platform/gateway/domain/workload.ts'

const revision = (name: string) => ({ id: 'agent', revision: name }) as Workload
const workload = (percent: number, stickySeconds = 0): Workload => ({
  ...revision('old'),
  stickySeconds,
  canary: { percent, workload: revision('new') },
})
const threads = Array.from({ length: 1_000 }, (_, at) => `thread-${at}`)
const inCanary = (percent: number) =>
  threads.filter((thread) => isForCanary(workload(percent, 60), { thread }, 0.999999))

test('without a canary nothing is divided', () => {
  expect(isForCanary(revision('old'), { revision: 'new', thread: 't' }, 0)).toBe(false)
})

test('the dice decide by the percentage', () => {
  const dice = [0, 0.099, 0.1, 0.5, 0.999]

  expect(dice.map((each) => isForCanary(workload(10), {}, each))).toEqual([true, true, false, false, false])
})

test('a session stays with its revision, and one that gets no requests is ignored', () => {
  const sessions = ['old', 'new', 'older'].map((name) => isForCanary(workload(10, 60), { revision: name }, 0))

  expect(sessions).toEqual([false, true, true])
})

test('without a time for sessions, a cookie has no effect', () => {
  expect(isForCanary(workload(10), { revision: 'new' }, 0.5)).toBe(false)
})

test('a thread stays with its revision, also when the percentage grows, whatever its cookie says', () => {
  const [ten, fifty] = [inCanary(10), inCanary(50)]

  expect(ten.length).toBeGreaterThan(50)
  expect(ten.length).toBeLessThan(150)
  expect(ten.filter((thread) => !fifty.includes(thread))).toEqual([])
  expect(isForCanary(workload(10, 60), { thread: ten[0], revision: 'old' }, 0.9)).toBe(true)
})
