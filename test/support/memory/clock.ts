/** A clock that moves only when a test advances it. */
export function steppedClock(start = '2026-03-02T09:00:00Z') {
  let ms = Date.parse(start)
  return {
    now: () => new Date(ms),
    pass(seconds: number): void {
      ms += seconds * 1_000
    },
  }
}
