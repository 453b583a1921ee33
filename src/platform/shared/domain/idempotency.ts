import { createHash } from 'node:crypto'
import { IdempotencyKey } from '../../../contract/headers.ts'
import type { Caller, Member } from './caller.ts'
import { Failure } from './failure.ts'

/** What is known of an earlier request with the same key: nothing, that it runs, or how it ended. */
export type Earlier = { bodyHash: Buffer; answer: string | undefined }

export type Idempotency = {
  /** Undefined for the first request with this id. */
  begin(id: Buffer, bodyHash: Buffer): Promise<Earlier | undefined>
  finish(id: Buffer, answer: string): Promise<void>
  forget(id: Buffer): Promise<void>
}

export const digest = (text: string): Buffer => createHash('sha256').update(text).digest()

/** A key belongs to one caller, one workspace and one address: the same word elsewhere is another key. */
export function requestId(key: string, caller: Caller, member: Member | undefined, address: string): Buffer {
  if (!IdempotencyKey.safeParse(key).success) {
    throw new Failure('input_invalid', 'Idempotency-Key: must be 1 to 255 printable characters')
  }
  return digest(JSON.stringify([caller.kind, caller.id, member?.workspace, address, key]))
}

/** The first answer once more, or the reason why there is none. */
export function replay({ bodyHash, answer }: Earlier, sent: Buffer): string {
  if (!bodyHash.equals(sent)) throw new Failure('key_reused', 'This Idempotency-Key was used with another body.')
  if (answer === undefined) throw new Failure('key_in_progress', 'The first request with this key is not over yet.')
  return answer
}
