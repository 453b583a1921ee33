import { Secret } from '../../kit/crypto/secret.ts'
import {
  type IdempotencyStore,
  type IdempotentResult,
  type KeyConflict,
  runIdempotent as runOnce,
} from '../../kit/process/run-idempotent.ts'
import { Failure } from '../domain/failure.ts'
import type { Ports } from '../domain/ports/ports.ts'
import type { IdempotencyClaim } from '../domain/ports/shared.ts'
import { sealContext } from '../domain/seal-context.ts'
import type { Caller } from '../domain/tenant.ts'

type IdempotentRequest = {
  caller: Caller
  key: string
  operation: string
  body: unknown
  onStoreError(error: unknown): void
}

type StoredAnswer = { status: number; body?: unknown }

type Act = (claim: IdempotencyClaim) => Promise<StoredAnswer>

export function runIdempotent(
  ports: Pick<Ports, 'idempotency' | 'seal' | 'tokens'>,
  { caller, key, operation, body, onStoreError }: IdempotentRequest,
  act: Act,
): Promise<IdempotentResult<StoredAnswer>> {
  const id = ports.tokens.digest(`${caller.keyId}|${key}`)
  const digest = ports.tokens.digest(JSON.stringify([operation, body]))
  return runOnce({ store: sealedStore(ports), isRefusal, toError, onStoreError }, { id, digest }, act)
}

const isRefusal = (error: unknown) => error instanceof Failure

const toError = (conflict: KeyConflict, retryAfterSeconds = 1) =>
  conflict === 'other_request'
    ? new Failure('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
    : new Failure('idempotency_key_busy', 'The first request with this Idempotency-Key is still running.', {
        retryAfterSeconds,
      })

/** Sealed, because responses contain secrets that are returned only once. */
const sealedStore = ({
  idempotency,
  seal,
  tokens,
}: Pick<Ports, 'idempotency' | 'seal' | 'tokens'>): IdempotencyStore<IdempotencyClaim> => ({
  async claim(id, digest) {
    const known = await idempotency.begin(id, digest, tokens.id('idm'))
    if ('seed' in known) return { status: 'granted', claim: known }
    if (known.answer === undefined) return { status: 'running', ...known }
    const answer = seal.open(known.answer, sealContext.idempotentAnswer(id)).reveal()
    return { status: 'finished', digest: known.digest, answer }
  },
  finish: async (claim, answer) =>
    idempotency.finish(claim, seal.seal(new Secret(answer), sealContext.idempotentAnswer(claim.id))),
  renew: (claim) => idempotency.renew(claim),
  release: (claim) => idempotency.release(claim),
  abandon: (claim) => idempotency.abandon(claim),
})
