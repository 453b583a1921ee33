import { Secret } from '../../kit/crypto/secret.ts'
import {
  type IdempotencyStore,
  type IdempotentResult,
  type KeyConflict,
  runIdempotent as runOnce,
} from '../../kit/process/run-idempotent.ts'
import { Failure } from '../domain/failure.ts'
import type { IdempotencyClaim, SharedPorts } from '../domain/ports/shared.ts'
import { sealContext } from '../domain/seal-context.ts'
import type { Caller } from '../domain/tenant.ts'

export type IdempotentRequest = {
  caller: Caller
  key: string
  operation: string
  body: unknown
  /** The end of the request could not be kept. The claim ends with its lease. */
  onStoreError(error: unknown): void
}

export type StoredAnswer = { status: number; body?: unknown }

type Act = (claim: IdempotencyClaim) => Promise<StoredAnswer>

type Needs = Pick<SharedPorts, 'idempotency' | 'seal' | 'tokens'>

/** A key belongs to one API key, and to one request by it. */
export const runIdempotent = (needs: Needs) => {
  const rules = {
    store: sealedStore(needs),
    isRefusal: (error: unknown) => error instanceof Failure,
    toError: (conflict: KeyConflict) =>
      conflict === 'other_request'
        ? new Failure('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
        : new Failure('idempotency_key_busy', 'The first request with this Idempotency-Key still runs.'),
  }
  return (
    { caller, key, operation, body, onStoreError }: IdempotentRequest,
    act: Act,
  ): Promise<IdempotentResult<StoredAnswer>> => {
    const id = needs.tokens.digest(`${caller.keyId}|${key}`)
    return runOnce(
      { ...rules, onStoreError },
      { id, digest: needs.tokens.digest(JSON.stringify([operation, body])) },
      act,
    )
  }
}

/** Answers hold connect URLs and other secrets that are shown once: they are kept sealed. */
const sealedStore = ({ idempotency, seal, tokens }: Needs): IdempotencyStore<IdempotencyClaim> => ({
  async claim(id, digest) {
    const known = await idempotency.begin(id, digest, tokens.id('idm'))
    if ('seed' in known) return { status: 'granted', claim: known }
    if (known.answer === undefined) return { status: 'running', digest: known.digest }
    const answer = seal.open(known.answer, sealContext.idempotentAnswer(id)).reveal()
    return { status: 'finished', digest: known.digest, answer }
  },
  finish: async (claim, answer) =>
    idempotency.finish(claim, seal.seal(new Secret(answer), sealContext.idempotentAnswer(claim.id))),
  release: (claim) => idempotency.release(claim),
  abandon: (claim) => idempotency.abandon(claim),
})
