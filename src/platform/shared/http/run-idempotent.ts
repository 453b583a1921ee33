import type { Request, Response } from 'express'
import { plainHeaders } from '../../../contract/headers.ts'
import { describeError } from '../../../kit/process/log.ts'
import { runIdempotent as runOnce } from '../../../kit/process/run-idempotent.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { digest, keyFailure, requestId } from '../domain/idempotency.ts'
import type { Guards } from './operation.ts'
import { toFailure } from './to-failure.ts'

/** With an Idempotency-Key, a request that is sent again is answered again and not done again. */
export async function runIdempotent(
  { idempotency, log }: Pick<Guards, 'idempotency' | 'log'>,
  req: Request,
  res: Response,
  run: () => Promise<unknown>,
): Promise<unknown> {
  const key = req.get(plainHeaders.idempotencyKey)
  if (!idempotency || key === undefined || req.method !== 'POST') return run()
  const { caller, member } = res.locals as { caller: Caller; member: Member | undefined }
  const rules = {
    store: idempotency,
    isRefusal,
    toError: keyFailure,
    onStoreError: (error: unknown) => log('idempotency.unstored', { code: describeError(error) }),
  }
  const id = requestId(key, caller, member, req.originalUrl)
  const { answer, replayed } = await runOnce(rules, { id, digest: digest(JSON.stringify(req.body ?? null)) }, run)
  if (replayed) res.set(plainHeaders.idempotencyReplayed, 'true')
  return answer
}

/** It says what was wrong with the request. What a request did whose store went away, or that met a bug, nobody knows. */
const isRefusal = (error: unknown): boolean => !['store_unavailable', 'unexpected'].includes(toFailure(error).code)
