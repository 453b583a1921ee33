/** How common each pair or triple of characters is, from 0 to 1. What is missing is rarer than anything listed. */
export type GramFrequencies = ReadonlyMap<string, number>

/** `grams`: look these up, then sort the few that match. `scan`: go through the list in order, matches are dense. */
export type SearchPlan = { by: 'grams'; grams: string[] } | { by: 'scan' }

/** Above this share of all rows, finding them by index costs more than meeting them on the way. */
const commonShare = 0.01
const lookedUp = 3

/** Names the rarest parts of a search: the index visits each part it is given, and a common one costs the most. */
export function planSearch(q: string, frequencies: GramFrequencies): SearchPlan {
  const share = (gram: string) => frequencies.get(gram) ?? 0
  const rarest = gramsOf(q)
    .sort((a, b) => share(a) - share(b))
    .slice(0, lookedUp)
  const [first] = rarest
  if (first === undefined || share(first) > commonShare) return { by: 'scan' }
  return { by: 'grams', grams: rarest.filter((gram, at) => at === 0 || share(gram) <= commonShare) }
}

/** By character as the database counts them, which is not by UTF-16 unit. */
function gramsOf(q: string): string[] {
  const characters = [...q]
  const size = Math.min(characters.length, 3)
  const starts = characters.slice(0, characters.length - size + 1)
  return [...new Set(starts.map((_, at) => characters.slice(at, at + size).join('')))]
}
