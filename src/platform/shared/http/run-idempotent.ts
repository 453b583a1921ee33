import { createHash } from 'node:crypto'
import type { Request, Response } from 'express'
import { IdempotencyKey, plainHeaders } from '../../../contract/headers.ts'
import { describeError } from '../../../kit/process/log.ts'
import { runIdempotent as runOnce } from '../../../kit/process/run-idempotent.ts'
import type { Caller, Member } from '../domain/caller.ts'
import { Failure } from '../domain/failure.ts'
import type { Guards } from './operation.ts'
import { toFailure } from './to-failure.ts'

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

/** A rejected request had no effect. After a store failure or a bug, the outcome is unknown. */
const isRefusal = (error: unknown): boolean => !['store_unavailable', 'unexpected'].includes(toFailure(error).code)

const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/** Includes the caller's rights: a response may contain a secret. */
function requestId(key: string, caller: Caller, member: Member | undefined, address: string): string {
  if (!IdempotencyKey.safeParse(key).success) {
    throw new Failure('input_invalid', 'Idempotency-Key: must be 1 to 255 printable characters')
  }
  const { kind, id, scopes, grant } = caller
  const allowed = scopes === undefined ? undefined : [...scopes].sort()
  return digest(JSON.stringify([kind, id, allowed, grant, member?.workspace, address, key]))
}

function keyFailure(conflict: 'other_request' | 'running' | 'unfinished', retryAfterSeconds = 1): Failure {
  if (conflict === 'other_request') return new Failure('key_reused', 'This Idempotency-Key was used with another body.')
  if (conflict === 'running')
    return new Failure('key_in_progress', 'The first request with this key is still running.', { retryAfterSeconds })
  return new Failure(
    'key_outcome_unknown',
    'The first request with this key did not finish, and may have taken effect. Check before you send it with a new key.',
  )
}
