import { z } from 'zod'
import { requestIdOf } from '../../kit/http/request-id.ts'
import { describeError, type Log } from '../../kit/process/log.ts'
import type { Ports } from '../domain/ports/ports.ts'
import { runIdempotent } from '../flows/run-idempotent.ts'
import { callerOf } from './guards.ts'
import { readHeader } from './input-errors.ts'
import type { AnswerIdempotently } from './route.ts'

const Key = z.string().regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 printable characters')

export const idempotentAnswers =
  (ports: Ports, log: Log<'idempotency.unstored'>): AnswerIdempotently =>
  async (req, res, act) => {
    const given = req.get('idempotency-key')
    if (given === undefined) return act()
    const key = readHeader('Idempotency-Key', Key, given)
    const request = {
      caller: callerOf(res),
      key,
      operation: `${req.method} ${req.originalUrl}`,
      body: req.body ?? null,
      onStoreError: (error: unknown) =>
        log('idempotency.unstored', {
          requestId: requestIdOf(res),
          code: describeError(error),
        }),
    }
    const { answer, replayed } = await runIdempotent(ports, request, act)
    if (replayed) res.set('Idempotency-Replayed', 'true')
    return answer
  }
