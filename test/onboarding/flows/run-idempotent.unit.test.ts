import { beforeEach, expect, test } from 'vitest'
import { Failure } from '../../../src/onboarding/domain/failure.ts'
import { runIdempotent } from '../../../src/onboarding/flows/run-idempotent.ts'
import { breaks, later } from '../../support/memory/doubles.ts'
import { type MemoryWorld, ofTenant, openMemoryWorld } from '../../support/memory/world.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
  storeErrors.length = 0
})

const storeErrors: unknown[] = []
const onStoreError = (error: unknown) => storeErrors.push(error)
const request = { caller: ofTenant('acme'), key: 'order-1', operation: 'mint', body: { user: 1 }, onStoreError }
const made = { status: 201, body: { url: 'https://connect.example/hush' } }
const run = (act: Parameters<typeof runIdempotent>[2], more = {}) => runIdempotent(world, { ...request, ...more }, act)

test('does the work once and returns the same answer to retries', async () => {
  let done = 0
  const act = async () => {
    done++
    return made
  }

  const answers = [await run(act), await run(act)]

  expect(done).toBe(1)
  expect(answers).toEqual([
    { answer: made, replayed: false },
    { answer: made, replayed: true },
  ])
})

test('stores answers sealed, because they may contain secrets', async () => {
  await run(async () => made)

  expect(JSON.stringify([...world.tables.idempotency.values()])).not.toContain('hush')
})

test('a key belongs to one request', async () => {
  await run(async () => made)

  await expect(run(async () => made, { body: { user: 2 } })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
  await expect(run(async () => made, { operation: 'other' })).rejects.toMatchObject({ code: 'idempotency_key_reused' })
})

test('another caller’s key is a different key', async () => {
  await run(async () => made)

  expect(await run(async () => made, { caller: { keyId: 'key_9', tenant: 'acme' } })).toMatchObject({ replayed: false })
})

test('a concurrent request is asked to wait', async () => {
  const answer = later<typeof made>()
  const first = run(() => answer.promise)
  await expect(run(async () => made)).rejects.toMatchObject({
    code: 'idempotency_key_busy',
    more: { retryAfterSeconds: 10 },
  })

  answer.resolve(made)

  expect(await first).toMatchObject({ replayed: false })
})

test('does not store a refusal', async () => {
  const refused = new Failure('input_invalid', 'no')

  await expect(run(() => Promise.reject(refused))).rejects.toBe(refused)

  expect(await run(async () => made, { body: { user: 2 } })).toMatchObject({ replayed: false })
})

test('after an unexpected error, the same request retries with the same seed', async () => {
  const seeds: string[] = []
  const note = async ({ seed, isRetry }: { seed: string; isRetry: boolean }) => {
    seeds.push(`${seed} ${isRetry}`)
    return made
  }
  const dies = async (claim: Parameters<typeof note>[0]) => {
    await note(claim)
    return breaks()
  }
  await expect(run(dies)).rejects.toThrow(TypeError)

  await run(note)

  expect(seeds[1]).toBe(seeds[0]?.replace('false', 'true'))
})

test('returns an answer that cannot be stored, because the work is done', async () => {
  world.idempotency.finish = breaks

  expect(await run(async () => made)).toEqual({ answer: made, replayed: false })
  expect(storeErrors).toEqual([expect.any(TypeError)])
})

test('an unavailable ledger does not hide a refusal', async () => {
  world.idempotency.release = breaks

  await expect(run(() => Promise.reject(new Failure('input_invalid', 'no')))).rejects.toMatchObject({
    code: 'input_invalid',
  })
})

test('resumes a dead request after ten seconds', async () => {
  const dead = later<typeof made>()
  const first = run(() => dead.promise)
  world.clock.pass(11)

  const second = await run(async ({ isRetry }) => ({ status: 201, body: { isRetry } }))
  dead.resolve(made)
  await first

  expect(second.answer).toEqual({ status: 201, body: { isRetry: true } })
  expect((await run(async () => made)).answer).toEqual(second.answer)
})
