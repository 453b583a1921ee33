import { createHash } from 'node:crypto'
import { IdempotencyKey } from '../../../contract/headers.ts'
import type { Caller, Member } from './caller.ts'
import { Failure } from './failure.ts'

/** An earlier request with the same key: it runs, it ended with an answer, or it never said how it ended. */
export type EarlierRequest = { bodyHash: Buffer } & (
  | { status: 'running' | 'unfinished' }
  | { status: 'finished'; answer: string }
)

/** `granted`: this request is the first with its key, and does the work. */
export type IdempotencyClaim = { status: 'granted' } | EarlierRequest

export type Idempotency = {
  claim(id: Buffer, bodyHash: Buffer): Promise<IdempotencyClaim>
  finish(id: Buffer, answer: string): Promise<void>
  /** The key is free again: nothing was done. */
  release(id: Buffer): Promise<void>
}

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A key belongs to one caller, one workspace and one address: the same text elsewhere is another key. */
export function requestId(key: string, caller: Caller, member: Member | undefined, address: string): Buffer {
  if (!IdempotencyKey.safeParse(key).success) {
    throw new Failure('input_invalid', 'Idempotency-Key: must be 1 to 255 printable characters')
  }
  return digest(JSON.stringify([caller.kind, caller.id, member?.workspace, address, key]))
}

/** The first answer once more, or the reason why there is none. */
export function replay(earlier: EarlierRequest, bodyHash: Buffer): string {
  if (!earlier.bodyHash.equals(bodyHash)) {
    throw new Failure('key_reused', 'This Idempotency-Key was used with another body.')
  }
  if (earlier.status === 'finished') return earlier.answer
  if (earlier.status === 'running') {
    throw new Failure('key_in_progress', 'The first request with this key is not over yet.')
  }
  throw new Failure(
    'key_outcome_unknown',
    'The first request with this key did not finish, and may have taken effect. Check before you send it with a new key.',
  )
}
