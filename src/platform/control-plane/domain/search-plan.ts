/** Share of rows with each bigram or trigram, from 0 to 1. Missing grams are rarer than listed ones. */
export type GramFrequencies = ReadonlyMap<string, number>

/** `grams`: look up by index, then sort. `scan`: read the list in order, because matches are dense. */
export type SearchPlan = { by: 'grams'; grams: string[] } | { by: 'scan' }

/** Above this share of rows, an index lookup costs more than a scan. */
const commonShare = 0.01
const maxGrams = 3

/** Uses the rarest grams: the index reads the postings of each gram, and common ones are the most expensive. */
export function planSearch(q: string, frequencies: GramFrequencies): SearchPlan {
  const share = (gram: string) => frequencies.get(gram) ?? 0
  const rarest = gramsOf(q)
    .sort((a, b) => share(a) - share(b))
    .slice(0, maxGrams)
  const [first] = rarest
  if (first === undefined || share(first) > commonShare) return { by: 'scan' }
  return { by: 'grams', grams: rarest.filter((gram, at) => at === 0 || share(gram) <= commonShare) }
}

/** By code point, like the database, not by UTF-16 unit. */
function gramsOf(q: string): string[] {
  const characters = [...q]
  const size = Math.min(characters.length, 3)
  const starts = characters.slice(0, characters.length - size + 1)
  return [...new Set(starts.map((_, at) => characters.slice(at, at + size).join('')))]
}
