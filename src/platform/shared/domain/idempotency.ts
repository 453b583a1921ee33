import { createHash } from 'node:crypto'
import { IdempotencyKey } from '../../../contract/headers.ts'
import type { Caller, Member } from './caller.ts'
import { Failure } from './failure.ts'

export const digest = (text: string): string => createHash('sha256').update(text).digest('hex')

/**
 * A key belongs to one caller, one workspace and one address: the same text elsewhere is another key. So it is for
 * another credential of the same owner that is allowed less: an answer may have a secret that is allowed more.
 */
export function requestId(key: string, caller: Caller, member: Member | undefined, address: string): string {
  if (!IdempotencyKey.safeParse(key).success) {
    throw new Failure('input_invalid', 'Idempotency-Key: must be 1 to 255 printable characters')
  }
  const { kind, id, scopes, grant } = caller
  const allowed = scopes === undefined ? undefined : [...scopes].sort()
  return digest(JSON.stringify([kind, id, allowed, grant, member?.workspace, address, key]))
}

/** Why a request cannot have the answer of the first one with its key. */
export function keyFailure(conflict: 'other_request' | 'running' | 'unfinished'): Failure {
  if (conflict === 'other_request') return new Failure('key_reused', 'This Idempotency-Key was used with another body.')
  if (conflict === 'running') return new Failure('key_in_progress', 'The first request with this key is not over yet.')
  return new Failure(
    'key_outcome_unknown',
    'The first request with this key did not finish, and may have taken effect. Check before you send it with a new key.',
  )
}
