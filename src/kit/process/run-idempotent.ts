/** An earlier request with the same key: it runs, it ended with an answer, or it never said how it ended. */
export type EarlierRequest = { digest: string } & (
  | { status: 'running' | 'unfinished' }
  | { status: 'finished'; answer: string }
)

/** Where keys are kept. A claim is held by the one request that may do the work of its key. */
export type IdempotencyStore<Claim> = {
  claim(id: string, digest: string): Promise<{ status: 'granted'; claim: Claim } | EarlierRequest>
  finish(claim: Claim, answer: string): Promise<void>
  /** Nothing was done: the next request with this key is the first. */
  release(claim: Claim): Promise<void>
  /** Nobody knows what was done. */
  abandon(claim: Claim): Promise<void>
}

/** Why a request cannot have the answer of the first one with its key. */
export type KeyConflict = 'other_request' | 'running' | 'unfinished'

export type IdempotencyRules<Claim> = {
  store: IdempotencyStore<Claim>
  /** Whether an error says that nothing was done. */
  isRefusal(error: unknown): boolean
  toError(conflict: KeyConflict): Error
  /** The store could not be told how a request ended. */
  onStoreError(error: unknown): void
}

export type IdempotentResult<Answer> = { answer: Answer; replayed: boolean }

/**
 * Does the work for the first request with a key and gives its answer to the others. A refusal frees the key: nothing
 * was done, and a caller who corrects the request may send it under the same one. After any other error, as a database
 * that went away, nobody knows what was done, and the store decides who may try again. An answer that cannot be stored
 * is given all the same, and the key stays taken: the work is done, and an error would have it done again.
 */
export async function runIdempotent<Claim, Answer>(
  { store, isRefusal, toError, onStoreError }: IdempotencyRules<Claim>,
  { id, digest }: { id: string; digest: string },
  run: (claim: Claim) => Promise<Answer>,
): Promise<IdempotentResult<Answer>> {
  const known = await store.claim(id, digest)
  if (known.status !== 'granted') {
    if (known.digest !== digest) throw toError('other_request')
    if (known.status !== 'finished') throw toError(known.status)
    return { answer: JSON.parse(known.answer), replayed: true }
  }
  const { claim } = known
  const answer = await run(claim).catch(async (error) => {
    await (isRefusal(error) ? store.release(claim) : store.abandon(claim)).catch(onStoreError)
    throw error
  })
  await store.finish(claim, JSON.stringify(answer)).catch(onStoreError)
  return { answer, replayed: false }
}
