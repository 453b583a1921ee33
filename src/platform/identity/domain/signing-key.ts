import type { Secret } from '../../../kit/crypto/secret.ts'

export type SigningKey = { kid: string; createdAt: Date; jwk: Secret<Record<string, unknown>> }

export const signingAlgorithm = 'ES256'

export const accessTokenSeconds = 2 * 60 * 60

/** A key signs until its successor is created. Its last token lives two hours longer. One hour allows for clock skew. */
const usefulMs = (accessTokenSeconds + 3_600) * 1000

export function keysInUse(keys: readonly SigningKey[], now: Date): SigningKey[] {
  return keys.filter((_, at) => {
    const successor = keys[at - 1]
    return !successor || now.getTime() - successor.createdAt.getTime() < usefulMs
  })
}
