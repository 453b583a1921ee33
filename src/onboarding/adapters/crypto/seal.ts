import { EnvelopeUnreadable, type SealedBox } from '../../../kit/crypto/sealed-box.ts'
import { DependencyError } from '../../domain/dependency-error.ts'
import type { Seal } from '../../domain/ports/shared.ts'

/** During a rotation, a process may read values sealed by a key that it is about to get. */
const keyMayComeSeconds = 30

/** Distinguishes a missing key, which a retry may find, from unreadable values. */
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
