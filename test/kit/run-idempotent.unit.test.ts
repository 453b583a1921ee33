import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { claimRenewalMs, type IdempotencyStore, runIdempotent } from '../../src/kit/process/run-idempotent.ts'

type Row = { digest: string; answer?: string; abandoned?: true }

const rows = new Map<string, Row>()
const storeErrors: unknown[] = []
let done = 0

beforeEach(() => {
  rows.clear()
  storeErrors.length = 0
  done = 0
})

const store: IdempotencyStore<string> = {
  async claim(id, digest) {
    const row = rows.get(id)
    if (!row) {
      rows.set(id, { digest })
      return { status: 'granted', claim: id }
    }
    if (row.answer !== undefined) return { status: 'finished', digest: row.digest, answer: row.answer }
    if (row.abandoned) return { status: 'unfinished', digest: row.digest }
    return { status: 'running', digest: row.digest, retryAfterSeconds: 7 }
  },
  async finish(id, answer) {
    rows.set(id, { ...(rows.get(id) as Row), answer })
  },
  async release(id) {
    rows.delete(id)
  },
  async abandon(id) {
    rows.set(id, { ...(rows.get(id) as Row), abandoned: true })
  },
}

afterEach(() => {
  vi.useRealTimers()
})

class Refusal extends Error {}

const broken = async () => {
  throw new Error('the store is away')
}

const work = async () => ({ made: ++done })
const run = (act: () => Promise<unknown> = work, own: Partial<IdempotencyStore<string>> = {}, digest = 'order') =>
  runIdempotent(
    {
      store: { ...store, ...own },
      isRefusal: (error) => error instanceof Refusal,
      toError: (conflict, retryAfterSeconds) => new Error(`conflict: ${conflict} ${retryAfterSeconds ?? ''}`.trim()),
      onStoreError: (error) => storeErrors.push(error),
    },
    { id: 'key', digest },
    act,
  )

test('the first request does the work, and the others return its answer', async () => {
  expect(await run()).toEqual({ answer: { made: 1 }, replayed: false })
  expect(await run()).toEqual({ answer: { made: 1 }, replayed: true })
  expect(done).toBe(1)
})

test('a key belongs to one request, whether it runs or has ended', async () => {
  const running = run(() => new Promise((resolve) => setImmediate(resolve, 1)))
  await expect(run(work, {}, 'another order')).rejects.toThrow('conflict: other_request')
  await running

  await expect(run(work, {}, 'another order')).rejects.toThrow('conflict: other_request')
})

test('a second request is rejected while the first one runs', async () => {
  const running = run(() => new Promise((resolve) => setImmediate(resolve, 1)))

  await expect(run()).rejects.toThrow('conflict: running 7')

  expect(await running).toEqual({ answer: 1, replayed: false })
})

test('a refusal releases the key', async () => {
  await expect(run(() => Promise.reject(new Refusal('no')))).rejects.toThrow('no')

  expect(await run(work, {}, 'a better order')).toEqual({ answer: { made: 1 }, replayed: false })
})

test('after any other error the outcome is unknown, and the key stays taken', async () => {
  await expect(run(() => Promise.reject(new TypeError('oh')))).rejects.toThrow('oh')

  await expect(run()).rejects.toThrow('conflict: unfinished')
  expect(done).toBe(0)
})

test('an answer that cannot be stored is still returned, and the work is not repeated', async () => {
  expect(await run(work, { finish: broken })).toEqual({ answer: { made: 1 }, replayed: false })

  await expect(run()).rejects.toThrow('conflict: running 7')
  expect([done, storeErrors.length]).toEqual([1, 1])
})

test('an unavailable store does not hide the refusal', async () => {
  await expect(run(() => Promise.reject(new Refusal('no')), { release: broken })).rejects.toThrow('no')

  expect(storeErrors).toHaveLength(1)
})

test('without a claim no work is done', async () => {
  await expect(run(work, { claim: broken })).rejects.toThrow('the store is away')

  expect(done).toBe(0)
})

test('the claim of a running request is renewed until the request ends', async () => {
  vi.useFakeTimers()
  const renewed: string[] = []
  const renew = async (claim: string) => {
    renewed.push(claim)
  }
  let finish = () => {}
  const running = run(() => new Promise((resolve) => (finish = () => resolve(done))), { renew })

  await vi.advanceTimersByTimeAsync(2 * claimRenewalMs)
  finish()
  await running
  await vi.advanceTimersByTimeAsync(5 * claimRenewalMs)

  expect(renewed).toEqual(['key', 'key'])
})
