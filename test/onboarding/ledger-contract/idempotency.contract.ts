import { beforeEach, describe, expect, test } from 'vitest'
import type { IdempotencyClaim } from '../../../src/onboarding/domain/ports/shared.ts'
import type { Contract } from './contract.ts'
import type { Ledger } from './ledger.ts'

export const idempotencyPromises = ({ ledger: opened, racing }: Contract) =>
  describe('idempotency keys', () => {
    let ledger: Ledger
    beforeEach(() => {
      ledger = opened()
    })

    const begin = (seed: string, digest = 'request') => ledger.idempotency.begin('key', digest, seed)
    const claim = async (seed: string, digest?: string) => (await begin(seed, digest)) as IdempotencyClaim
    const secondsUntilFree = async () => {
      const known = await begin('other-seed')
      return 'retryAfterSeconds' in known ? known.retryAfterSeconds : undefined
    }
    const day = 24 * 60 * 60

    test('the first request acquires the key', async () => {
      expect(await begin('seed-1')).toMatchObject({ id: 'key', seed: 'seed-1', isRetry: false })
    })

    test('a concurrent request receives only the digest of the first', async () => {
      await begin('seed-1')

      expect(await begin('seed-2', 'other request')).toMatchObject({ digest: 'request', answer: undefined })
    })

    racing('one of many concurrent requests does the work', async () => {
      const begun = await Promise.all(Array.from({ length: 8 }, (_, each) => begin(`seed-${each}`)))

      expect(begun.filter((known) => 'seed' in known)).toHaveLength(1)
    })

    test('a finished key returns its answer to later requests', async () => {
      await ledger.idempotency.finish(await claim('seed-1'), 'sealed answer')

      expect(await begin('seed-2')).toEqual({ digest: 'request', answer: 'sealed answer' })
    })

    test('the same request resumes a dead one with its seed', async () => {
      const first = await claim('seed-1')
      await ledger.pass(11)

      expect(await begin('seed-2')).toMatchObject({ seed: 'seed-1', isRetry: true, fence: first.fence + 1 })
    })

    test('a busy key reports when its claim expires', async () => {
      await begin('seed-1')
      await ledger.pass(4)

      expect([5, 6]).toContain(await secondsUntilFree())
    })

    test('a renewed claim keeps its key', async () => {
      const first = await claim('seed-1')
      await ledger.pass(8)
      await ledger.idempotency.renew(first)
      await ledger.pass(8)

      expect([1, 2]).toContain(await secondsUntilFree())
    })

    test('another request that takes over an expired key starts from scratch', async () => {
      await begin('seed-1')
      await ledger.pass(11)

      expect(await begin('seed-2', 'other request')).toMatchObject({ seed: 'seed-2', isRetry: false })
    })

    test('an expired claim can no longer finish', async () => {
      const first = await claim('seed-1')
      await ledger.pass(11)
      await begin('seed-2')

      await ledger.idempotency.finish(first, 'late answer')
      await ledger.idempotency.release(first)
      await ledger.idempotency.abandon(first)

      expect(await begin('seed-3')).toMatchObject({ digest: 'request', answer: undefined })
    })

    test('a rejection releases the key for the next request', async () => {
      await ledger.idempotency.release(await claim('seed-1'))

      expect(await begin('seed-2', 'corrected')).toMatchObject({ seed: 'seed-2', isRetry: false })
    })

    test('after an unknown outcome, the same request can retry immediately with the same seed', async () => {
      await ledger.idempotency.abandon(await claim('seed-1'))

      expect(await begin('seed-2')).toMatchObject({ seed: 'seed-1', isRetry: true })
    })

    test('an answer is valid for a day', async () => {
      await ledger.idempotency.finish(await claim('seed-1'), 'sealed answer')
      await ledger.pass(day - 60)
      const late = await begin('seed-2')
      await ledger.pass(61)

      expect(late).toMatchObject({ answer: 'sealed answer' })
      expect(await begin('seed-3')).toMatchObject({ seed: 'seed-3', isRetry: false })
    })

    test('deletes old keys and keeps recent ones', async () => {
      await ledger.idempotency.finish(await claim('seed-1'), 'sealed answer')
      await ledger.pass(day - 60)
      await ledger.idempotency.forgetOld()
      const young = await begin('seed-2')
      await ledger.pass(61)
      await ledger.idempotency.forgetOld()

      expect(young).toMatchObject({ answer: 'sealed answer' })
      expect(await begin('seed-3')).toMatchObject({ fence: 0, seed: 'seed-3' })
    })
  })
