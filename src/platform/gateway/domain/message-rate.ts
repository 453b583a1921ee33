/** So many messages at once, and so many more with each second that passes. */
export type MessageRate = { burst: number; perSecond: number }

/** Says of each message whether it is still within the rate. */
export function messageRate({ burst, perSecond }: MessageRate, nowMs: () => number): () => boolean {
  let left = burst
  let countedAt = nowMs()
  return () => {
    if (left === 0) {
      const now = nowMs()
      left = Math.min(burst, Math.floor(((now - countedAt) / 1_000) * perSecond))
      if (left > 0) countedAt = now
    }
    if (left === 0) return false
    left--
    return true
  }
}
