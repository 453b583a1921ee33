import { expect, test } from 'vitest'
import { lockSteps } from '../../scripts/migrations/lock.mjs'

const steps = [
  { name: '0001-schema', digest: 'a' },
  { name: '0002-more', digest: 'b' },
]

test('a new step is appended to the lock', () => {
  const { lock, added } = lockSteps({ '0001-schema': 'a' }, steps)

  expect(Object.entries(lock)).toEqual([
    ['0001-schema', 'a'],
    ['0002-more', 'b'],
  ])
  expect(added).toEqual(['0002-more'])
})

test.each([
  ['changed', { '0001-schema': 'other' }],
  ['renamed', { '0001-start': 'a' }],
  ['removed', { '0001-schema': 'a', '0002-more': 'b', '0003-last': 'c' }],
])('a locked step that was %s is rejected by name', (_how, lock) => {
  const name = Object.keys(lock).at(-1) as string

  expect(() => lockSteps(lock, steps)).toThrow(`${name} is locked: restore it`)
})
