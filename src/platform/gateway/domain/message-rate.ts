type Rate = { burst: number; perSecond: number }

export function messageRate({ burst, perSecond }: Rate, nowMs: () => number): () => boolean {
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
