import {
  claimSeconds,
  type Idempotency,
  type IdempotencyClaim,
  secondsUntilLapse,
} from '../../../src/onboarding/domain/ports/shared.ts'
import { change, inSeconds, type Store } from './tables.ts'

const daySeconds = 24 * 60 * 60

export function memoryIdempotency(store: Store): Idempotency {
  const { idempotency: keys } = store.tables
  const isClaimedBy = ({ id, fence, seed }: IdempotencyClaim) => {
    const row = keys.get(id)
    return row?.fence === fence && row.seed === seed
  }
  const isOlder = (begunAt: Date, seconds: number) => begunAt < inSeconds(store, -seconds)
  return {
    async begin(id, digest, seed) {
      const known = keys.get(id)
      const isOld = known && isOlder(known.begunAt, daySeconds)
      const isDead = known && !known.answer && isOlder(known.begunAt, claimSeconds)
      if (known && !isOld && !isDead) {
        const { answer, begunAt } = known
        if (answer !== undefined) return { digest: known.digest, answer }
        const heldSeconds = (store.now().getTime() - begunAt.getTime()) / 1_000
        return { digest: known.digest, answer, retryAfterSeconds: secondsUntilLapse(heldSeconds) }
      }
      const sameRequest = known && !isOld && known.digest === digest
      const goesOn = (sameRequest && known.seed) || seed
      const fence = known ? known.fence + 1 : 0
      keys.set(id, { digest, seed: goesOn, answer: undefined, fence, begunAt: store.now() })
      return { id, fence, seed: goesOn, isRetry: goesOn !== seed }
    },
    async renew(claim) {
      if (isClaimedBy(claim)) change(keys, claim.id, { begunAt: store.now() })
    },
    async finish(claim, answer) {
      if (isClaimedBy(claim)) change(keys, claim.id, { answer, seed: undefined })
    },
    async release(claim) {
      if (isClaimedBy(claim)) keys.delete(claim.id)
    },
    async abandon(claim) {
      const row = keys.get(claim.id)
      if (!row || !isClaimedBy(claim)) return
      // One millisecond more, because this clock does not advance between calls.
      const begunAt = new Date(row.begunAt.getTime() - claimSeconds * 1_000 - 1)
      change(keys, claim.id, { begunAt })
    },
    async forgetOld() {
      for (const [id, { begunAt }] of [...keys]) if (isOlder(begunAt, daySeconds)) keys.delete(id)
    },
  } satisfies Partial<Idempotency> as Idempotency
}
