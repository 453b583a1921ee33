import { EnvelopeUnreadable, type SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Seal } from '../../domain/ports/shared.ts'

/** While a key is rotated a process may meet what another one sealed by a key that it is about to get. */
const keyMayComeSeconds = 30

/** What does not open is told as what it is: waiting helps where a key is missing, and nothing else does by itself. */
export const sealPort = (box: SealedBox): Seal => ({
  seal: box.seal,
  sealBriefly: box.sealBriefly,
  open(envelope, context) {
    try {
      return box.open(envelope, context)
    } catch (error) {
      if (!(error instanceof EnvelopeUnreadable)) throw error
      const retry = error.code === 'key_not_loaded' ? { afterSeconds: keyMayComeSeconds } : undefined
      throw new DependencyError('sealed_unreadable', { detail: error.code, retry })
    }
  },
})
