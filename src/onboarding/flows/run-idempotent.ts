import { Secret } from '../../kit/crypto/secret.ts'
import { ignoreError } from '../../kit/process/ignore-error.ts'
import { Failure } from '../domain/failure.ts'
import type { Idempotency, IdempotencyClaim, Seal, Tokens } from '../domain/ports/shared.ts'
import { sealContext } from '../domain/seal-context.ts'
import type { Caller } from '../domain/tenant.ts'

export type IdempotentRequest = { caller: Caller; key: string; operation: string; body: unknown }

export type StoredAnswer = { status: number; body?: unknown }

type Act = (claim: IdempotencyClaim) => Promise<StoredAnswer>

type Needs = { idempotency: Idempotency; seal: Seal; tokens: Tokens }

/** Does the work for the first request with a key and gives its answer to the others. */
export const runIdempotent =
  (needs: Needs) =>
  async (request: IdempotentRequest, act: Act): Promise<{ answer: StoredAnswer; replayed: boolean }> => {
    const { idempotency, seal, tokens } = needs
    const id = tokens.digest(`${request.caller.keyId}|${request.key}`)
    const digest = tokens.digest(JSON.stringify([request.operation, request.body]))
    const known = await idempotency.begin(id, digest, tokens.id('idm'))
    if ('seed' in known) return { answer: await runClaimed(needs, known, act), replayed: false }
    if (known.digest !== digest) {
      throw new Failure('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
    }
    if (!known.answer)
      throw new Failure('idempotency_key_busy', 'The first request with this Idempotency-Key still runs.')
    return { answer: JSON.parse(seal.open(known.answer, sealContext.idempotentAnswer(id)).reveal()), replayed: true }
  }

async function runClaimed({ idempotency, seal }: Needs, claim: IdempotencyClaim, act: Act): Promise<StoredAnswer> {
  const answer = await act(claim).catch(async (error) => {
    // A refusal is not remembered: nothing was done, and a caller who corrects the cause may try again with the same
    // key. Of anything else, as a database that went away, nobody knows whether it was done before.
    await (error instanceof Failure ? idempotency.forget(claim) : idempotency.letGo(claim)).catch(
      ignoreError('the claim ends with its lease'),
    )
    throw error
  })
  // Answers hold connect URLs and other secrets that are shown once: they are kept sealed. One that cannot be kept
  // is given all the same: the work is done, and to be told otherwise would have it done again.
  const sealed = seal.seal(new Secret(JSON.stringify(answer)), sealContext.idempotentAnswer(claim.id))
  await idempotency.finish(claim, sealed).catch(ignoreError('the work is done'))
  return answer
}
