import { ignoreError } from '../../../kit/process/ignore-error.ts'
import { completionRound, type Link } from '../../domain/link.ts'
import type { Ports } from '../../domain/ports/ports.ts'
import { failoverTries, throughFailover } from '../../flows/through-failover.ts'

/** `isOurs` is false if the code was sent, or may have been. */
type Intent = { link: Link; isOurs: boolean }

/**
 * RFC 6749 §10.5: never send a code twice. It leaves only after the intent and the mark, which are written at the same
 * time: after a failover the ledger can lack an intent that it acknowledged. An attempt without an intent releases its
 * mark. Returns undefined if the link has moved on.
 */
export async function intendSending(
  ports: Ports,
  link: Link,
  write: () => Promise<Link | undefined>,
): Promise<Intent | undefined> {
  const writing = write()
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
  if (intent) return { link: intent, isOurs: (await claiming) || (await isReleased(ports, claim)) }
  release()
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
