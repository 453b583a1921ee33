import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { StoreUnavailable } from '../../../src/kit/database/store-errors.ts'
import { endWhenRevoked } from '../../../src/platform/gateway/http/streams/sse.ts'
import { Failure } from '../../../src/platform/shared/domain/failure.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

function openStream(enterAgain: () => Promise<unknown>) {
  const end = vi.fn()
  const res = Object.assign(new EventEmitter(), { end })
  endWhenRevoked(res as unknown as Response, enterAgain)
  return { res, end }
}

test.each([
  ['an expired credential', new Failure('credential_invalid', ''), 1],
  ['a deleted function', new Failure('resource_unknown', ''), 1],
  ['an unavailable store', new StoreUnavailable(new Error('away')), 0],
  ['an internal error', new Error('bug'), 0],
])('X10: %s ends a stream or has no effect', async (_what, error, times) => {
  const { end } = openStream(() => Promise.reject(error))

  await vi.advanceTimersByTimeAsync(3_500)

  expect(end).toHaveBeenCalledTimes(times)
})

test('an ended stream is not checked again', async () => {
  const enterAgain = vi.fn(async () => undefined)
  const { res } = openStream(enterAgain)

  res.emit('close')
  await vi.advanceTimersByTimeAsync(20_000)

  expect(enterAgain).not.toHaveBeenCalled()
})
