import type { Secret } from '../../../kit/crypto/secret.ts'

export type SigningKey = { kid: string; createdAt: Date; jwk: Secret<Record<string, unknown>> }

export const signingAlgorithm = 'ES256'

export const accessTokenSeconds = 2 * 60 * 60

/** A key signs until the next one comes, and its last token lives two hours more; one hour is for slow clocks. */
const usefulMs = (accessTokenSeconds + 3_600) * 1000

/** Of keys in order, newest first: those whose tokens may still be alive. */
export function keysInUse(keys: readonly SigningKey[], now: Date): SigningKey[] {
  return keys.filter((_, at) => {
    const successor = keys[at - 1]
    return !successor || now.getTime() - successor.createdAt.getTime() < usefulMs
  })
}
