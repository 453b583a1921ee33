import { EnvelopeUnreadable, type SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Log } from '../../../kit/process/log.ts'
import { SealedUnreadable } from '../domain/failure.ts'

/** Logs values that don't open for the operator and throws a failure for the caller. */
export const vaultOf = (box: SealedBox, log: Log<'sealed_value.unreadable'>): SealedBox => ({
  ...box,
  open(envelope, context) {
    try {
      return box.open(envelope, context)
    } catch (error) {
      if (!(error instanceof EnvelopeUnreadable)) throw error
      log('sealed_value.unreadable', { code: error.code, context })
      throw new SealedUnreadable(error.code === 'key_not_loaded', { cause: error })
    }
  },
})
