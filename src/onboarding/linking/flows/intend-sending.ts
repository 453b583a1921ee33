import { ignoreError } from '../../../kit/process/ignore-error.ts'
import { completionRound, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { failoverTries, throughFailover } from '../../flows/through-failover.ts'

type Sending = {
  write(): Promise<Link | undefined>
  /** Takes the intent back. */
  withdraw(intent: Link): Promise<unknown>
  /** The claim of the authorization, if it is still under way. If it fails, the code is not sent. */
  claim?: Promise<unknown> | undefined
}

/** `isOurs` is false if the code was sent, or may have been. */
type Intent = { link: Link; isOurs: boolean }

/**
 * RFC 6749 §10.5: never send a code twice. The code is sent after both the intent and the mark were written, because a
 * ledger can lose an intent in a failover. An attempt without an intent releases its mark. Returns undefined if the link
 * has moved on.
 */
export async function intendSending(
  ports: Ports,
  link: Link,
  { write, withdraw, claim: claimed }: Sending,
): Promise<Intent | undefined> {
  const writing = write()
  claimed?.catch(ignoreError('awaited with the intent'))
  const attempt = ports.tokens.id('att')
  const subject = completionRound(link)
  const claim = () => ports.marks.claim('sent', subject, attempt)
  let isLost = false
  const claiming = throughFailover(ports, claim, (tried) => isLost || tried === failoverTries)
  claiming.catch(ignoreError('awaited with the intent'))
  const release = () => {
    isLost = true
    const settled = claiming.catch(ignoreError('the claim may have arrived'))
    // Its rejection is logged by the background work.
    ports.background
      .keep(settled.then(() => ports.marks.release('sent', subject, attempt)))
      .catch(ignoreError('the user starts again'))
  }
  const intent = await writing.catch((error) => {
    release()
    throw error
  })
  if (!intent) {
    release()
    return undefined
  }
  try {
    await claimed
  } catch (error) {
    release()
    await withdraw(intent).catch(ignoreError('the link ends when its lease runs out'))
    throw error
  }
  return { link: intent, isOurs: (await claiming) || (await isReleased(ports, claim)) }
}

const releaseTries = 3

/** An attempt that came second may still hold the mark for a moment. */
async function isReleased({ pause }: Ports, claim: () => Promise<boolean>): Promise<boolean> {
  for (let tried = 1; tried <= releaseTries; tried++) {
    await pause(50 * 2 ** tried)
    if (await claim()) return true
  }
  return false
}
