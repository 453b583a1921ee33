import { EnvelopeUnreadable, type SealedBox } from '../../../kit/crypto/sealed-box.ts'
import type { Log } from '../../../kit/process/log.ts'
import { SealedUnreadable } from '../domain/failure.ts'

/** What does not open is told as what it is: to who asked by a failure of its own, and to the operator in the log. */
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
