/** Values with an end, in this process alone. What has ended goes when something new comes, so nothing piles up. */
export type Lasting<T> = { get(key: string): T | undefined; set(key: string, value: T, seconds: number): void }

export function lasting<T>(now: () => Date): Lasting<T> {
  const values = new Map<string, { value: T; endsAt: number }>()
  const hasEnded = ({ endsAt }: { endsAt: number }) => endsAt <= now().getTime()
  return {
    get(key) {
      const kept = values.get(key)
      return kept && !hasEnded(kept) ? kept.value : undefined
    },
    set(key, value, seconds) {
      for (const [other, kept] of values) if (hasEnded(kept)) values.delete(other)
      values.set(key, { value, endsAt: now().getTime() + seconds * 1_000 })
    },
  }
}
