const maxConcurrent = 4

/** Some at the same time. One that fails does not keep the others from their turn. Returns what failed. */
export async function workOnEach<T>(all: readonly T[], work: (each: T) => Promise<void>): Promise<unknown[]> {
  const failures: unknown[] = []
  for (let start = 0; start < all.length; start += maxConcurrent) {
    const ends = await Promise.allSettled(all.slice(start, start + maxConcurrent).map(work))
    failures.push(...ends.flatMap((end) => (end.status === 'rejected' ? [end.reason] : [])))
  }
  return failures
}
