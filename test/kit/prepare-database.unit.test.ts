import { expect, test } from 'vitest'
import { retryWhileUnavailable } from '../../src/kit/database/prepare-database.ts'
import { StoreUnavailable } from '../../src/kit/database/store-errors.ts'

const unavailable = () => new StoreUnavailable(new Error('timeout exceeded'))

/** Fails with each error in turn, then succeeds. */
function failing(...errors: Error[]) {
  const left = [...errors]
  let calls = 0
  const work = async () => {
    calls++
    const error = left.shift()
    if (error) throw error
    return 'done'
  }
  return { work, calls: () => calls }
}

test('retries while the store is unavailable', async () => {
  const { work, calls } = failing(unavailable(), unavailable())

  expect(await retryWhileUnavailable(60_000, work)).toBe('done')
  expect(calls()).toBe(3)
})

test('throws other errors immediately', async () => {
  const { work, calls } = failing(new Error('a bug'))

  await expect(retryWhileUnavailable(60_000, work)).rejects.toThrow('a bug')
  expect(calls()).toBe(1)
})

test('gives up after the time', async () => {
  const work = () => Promise.reject(unavailable())

  await expect(retryWhileUnavailable(-1, work)).rejects.toThrow('timeout exceeded')
})
