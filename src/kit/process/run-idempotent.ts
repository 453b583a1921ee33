/** An earlier request with the same key: running, answered, or abandoned. */
type EarlierRequest = { digest: string } & (
  | { status: 'running'; retryAfterSeconds: number }
  | { status: 'unfinished' }
  | { status: 'finished'; answer: string }
)

/** A claim is held by the one request that does the work. */
export type IdempotencyStore<Claim> = {
  claim(id: string, digest: string): Promise<{ status: 'granted'; claim: Claim } | EarlierRequest>
  /** Called at `claimRenewalMs` while the request runs. */
  renew?(claim: Claim): Promise<void>
  finish(claim: Claim, answer: string): Promise<void>
  /** Nothing was done: the key is free again. */
  release(claim: Claim): Promise<void>
  /** The outcome is unknown. */
  abandon(claim: Claim): Promise<void>
}

/** Why a request can't get the stored answer. */
export type KeyConflict = 'other_request' | 'running' | 'unfinished'

type IdempotencyRules<Claim> = {
  store: IdempotencyStore<Claim>
  /** Whether the error means that nothing was done. */
  isRefusal(error: unknown): boolean
  toError(conflict: KeyConflict, retryAfterSeconds?: number): Error
  onStoreError(error: unknown): void
}

export type IdempotentResult<Answer> = { answer: Answer; replayed: boolean }

export const claimRenewalMs = 3_000

/**
 * Does the work for the first request with a key, and gives its answer to the others. A refusal frees the key, so a
 * corrected request may reuse it. After any other error the outcome is unknown, and the store decides on retries. If
 * the answer can't be stored it is still returned, and the key stays taken: an error would make the caller repeat the
 * work.
 */
export async function runIdempotent<Claim, Answer>(
  { store, isRefusal, toError, onStoreError }: IdempotencyRules<Claim>,
  { id, digest }: { id: string; digest: string },
  run: (claim: Claim) => Promise<Answer>,
): Promise<IdempotentResult<Answer>> {
  const known = await store.claim(id, digest)
  if (known.status !== 'granted') {
    if (known.digest !== digest) throw toError('other_request')
    if (known.status === 'running') throw toError('running', known.retryAfterSeconds)
    if (known.status === 'unfinished') throw toError('unfinished')
    return { answer: JSON.parse(known.answer), replayed: true }
  }
  const { claim } = known
  const renewal = setInterval(() => store.renew?.(claim).catch(onStoreError), claimRenewalMs)
  const answer = await run(claim)
    .catch(async (error) => {
      await (isRefusal(error) ? store.release(claim) : store.abandon(claim)).catch(onStoreError)
      throw error
    })
    .finally(() => clearInterval(renewal))
  await store.finish(claim, JSON.stringify(answer)).catch(onStoreError)
  return { answer, replayed: false }
}
