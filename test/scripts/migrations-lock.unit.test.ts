import { expect, test } from 'vitest'
import { lockSteps } from '../../scripts/migrations/lock.mjs'

const steps = [
  { name: '0001-schema', digest: 'a' },
  { name: '0002-more', digest: 'b' },
]
const never = { replace: false, isReleased: () => false }

test('a new step is appended to the lock', () => {
  const { lock, added, replaced } = lockSteps({ '0001-schema': 'a' }, steps, never)

  expect(Object.entries(lock)).toEqual([
    ['0001-schema', 'a'],
    ['0002-more', 'b'],
  ])
  expect({ added, replaced }).toEqual({ added: ['0002-more'], replaced: [] })
})

test.each([
  ['changed', { '0001-schema': 'other' }],
  ['renamed', { '0001-start': 'a' }],
  ['removed', { '0001-schema': 'a', '0002-more': 'b', '0003-last': 'c' }],
])('a locked step that was %s is rejected by name', (_how, lock) => {
  const name = Object.keys(lock).at(-1) as string

  expect(() => lockSteps(lock, steps, never)).toThrow(`${name} is locked: restore it`)
})

test('an unreleased step may be replaced', () => {
  const lock = { '0001-schema': 'other', '0002-more': 'b' }

  const { lock: after, replaced } = lockSteps(lock, steps, { ...never, replace: true })

  expect(after['0001-schema']).toBe('a')
  expect(replaced).toEqual(['0001-schema'])
  expect(() => lockSteps(lock, steps, { replace: true, isReleased: () => true })).toThrow(
    '0001-schema is part of a release',
  )
})
