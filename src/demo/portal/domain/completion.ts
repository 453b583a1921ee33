import { createHash, randomBytes } from 'node:crypto'

/** Kept in the session of the user who starts; its hash goes to Causeway. Only that user's session can finish. */
export function newCompletion(): { verifier: string; challenge: string } {
  const verifier = randomBytes(32).toString('base64url')
  return { verifier, challenge: createHash('sha256').update(verifier).digest('base64url') }
}
