/** Bounds the work for untrusted input. */
const maxLength = 64
const maxCandidates = 1_000

/**
 * Returns the candidate that `typed` most likely misspells, or else the shortest that it begins, ignoring case and
 * separators.
 */
export function closestName(typed: string, candidates: Iterable<string>): string | undefined {
  if (typed.length > maxLength) return undefined
  const wanted = folded(typed)
  let best: { name: string; distance: number } | undefined
  let seen = 0
  for (const name of candidates) {
    seen += 1
    if (seen > maxCandidates) break
    if (name.length > maxLength) continue
    const other = folded(name)
    const max = Math.min(Math.floor(Math.max(wanted.length, other.length) / 3), (best?.distance ?? maxLength) - 1)
    if (Math.abs(wanted.length - other.length) > max) continue
    const distance = editDistance(wanted, other)
    if (distance <= max) best = { name, distance }
  }
  return best?.name ?? shortestBegunBy(wanted, candidates)
}

function shortestBegunBy(start: string, candidates: Iterable<string>): string | undefined {
  const begun = [...candidates]
    .slice(0, maxCandidates)
    .filter((name) => name.length <= maxLength && folded(name).startsWith(start))
  return start.length < 3 ? undefined : begun.toSorted((one, other) => one.length - other.length)[0]
}

/** ` Did you mean "gmail"?`, or nothing. */
export function didYouMean(typed: string, candidates: Iterable<string>): string {
  const name = closestName(typed, candidates)
  return name === undefined ? '' : ` Did you mean "${name}"?`
}

const folded = (name: string) => name.toLowerCase().replaceAll(/[\s_-]/g, '')

/** Damerau–Levenshtein, restricted: swapping two adjacent letters is one edit. */
export const editDistance = (one: string, other: string): number =>
  distancesToStarts(one, other)[other.length] as number

/** The distance from `one` to each start of `other`, by the length of the start. */
export function distancesToStarts(one: string, other: string): number[] {
  let beforeLast: number[] = []
  let last = Array.from({ length: other.length + 1 }, (_, at) => at)
  for (let row = 1; row <= one.length; row += 1) {
    const next = [row]
    for (let column = 1; column <= other.length; column += 1) {
      const differs = one[row - 1] === other[column - 1] ? 0 : 1
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1]
      next[column] = Math.min(
        (next[column - 1] as number) + 1,
        (last[column] as number) + 1,
        (last[column - 1] as number) + differs,
        swapped ? (beforeLast[column - 2] as number) + 1 : Number.POSITIVE_INFINITY,
      )
    }
    beforeLast = last
    last = next
  }
  return last
}
