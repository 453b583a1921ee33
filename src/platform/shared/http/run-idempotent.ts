import type { Request, Response } from 'express'
import { plainHeaders } from '../../../contract/headers.ts'
import { describeError } from '../../../kit/process/log.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import { digest, replay, requestId } from '../domain/idempotency.ts'
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
  const id = requestId(key, caller, member, req.originalUrl)
  const bodyHash = digest(JSON.stringify(req.body ?? null))
  const claim = await idempotency.claim(id, bodyHash)
  if (claim.status !== 'granted') {
    const answer = JSON.parse(replay(claim, bodyHash))
    res.set(plainHeaders.idempotencyReplayed, 'true')
    return answer
  }
  const warn = (message: string) => (error: unknown) => log.warn(message, { code: describeError(error) })
  const answer = await run().catch(async (error) => {
    if (isRefusal(error)) await idempotency.release(id).catch(warn('an Idempotency-Key could not be freed'))
    throw error
  })
  // One that cannot be kept is given all the same: the work is done, and an error would have it done again.
  await idempotency.finish(id, JSON.stringify(answer)).catch(warn('no answer could be kept for an Idempotency-Key'))
  return answer
}

/**
 * A refusal frees the key: nothing was done, and the caller may correct the request and send it under the same key.
 * After anything else, a database that went away for example, nobody knows what was done, and the key stays taken.
 */
const isRefusal = (error: unknown): boolean =>
  error instanceof Failure || !['store_unavailable', 'unexpected'].includes(toFailure(error).code)
