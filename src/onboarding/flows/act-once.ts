import { Secret } from '../../kit/secret.ts'
import { Failure } from '../domain/failure.ts'
import { place } from '../domain/sealed-place.ts'
import type { Caller } from '../domain/tenant.ts'
import type { Adapters } from './adapters.ts'

export type OnceRequest = { caller: Caller; key: string; operation: string; body: unknown }

export type OnceAnswer = { status: number; body?: unknown }

type Needs = Pick<Adapters, 'idempotency' | 'seal' | 'tokens'>

/**
 * Does the work for the first request with a key and gives its answer to the others. A refusal is not remembered:
 * nothing was done, and a caller who corrects the cause may try again with the same key.
 */
export const actOnce =
  ({ idempotency, seal, tokens }: Needs) =>
  async (request: OnceRequest, act: () => Promise<OnceAnswer>): Promise<{ answer: OnceAnswer; replayed: boolean }> => {
    const id = tokens.digest(`${request.caller.keyId}|${request.key}`)
    const digest = tokens.digest(JSON.stringify([request.operation, request.body]))
    const known = await idempotency.begin(id, digest)
    if (known === 'mine') {
      const answer = await act().catch(async (error) => {
        await idempotency.forget(id)
        throw error
      })
      // Answers hold connect URLs and other secrets that are shown once: they are kept sealed. One that cannot be kept
      // is given all the same: the work is done, and to be told otherwise would have it done again.
      const sealed = seal.seal(new Secret(JSON.stringify(answer)), place.idempotentAnswer(id))
      await idempotency.finish(id, sealed).catch(() => {})
      return { answer, replayed: false }
    }
    if (known.digest !== digest) {
      throw new Failure('idempotency_key_reused', 'This Idempotency-Key was used for another request.')
    }
    if (!known.answer)
      throw new Failure('idempotency_key_busy', 'The first request with this Idempotency-Key still runs.')
    return { answer: JSON.parse(seal.open(known.answer, place.idempotentAnswer(id)).reveal()), replayed: true }
  }
