// Ranks passages of the documentation for a query. Words are found by their beginning, and with typing errors.

const weights = { heading: 5, page: 3, text: 1 }

/** @param {ReadonlyArray<{ page: string, heading: string, text: string }>} passages */
export function searchIndex(passages) {
  /** @type {Map<string, Map<number, number>>} the weight of a word in each passage */
  const index = new Map()
  for (const [position, passage] of passages.entries()) {
    for (const [word, weight] of weighWords(passage)) {
      if (!index.has(word)) index.set(word, new Map())
      index.get(word)?.set(position, weight)
    }
  }
  return (/** @type {string} */ query) => {
    const words = [...new Set(wordsIn(query))]
    const found = words.map((word) => scoresOf(index, word, passages.length))
    const scoreAt = (/** @type {number} */ position) => {
      const scores = found.map((each) => each.get(position) ?? 0)
      const share = scores.filter(Boolean).length / words.length
      return scores.reduce((sum, score) => sum + score, 0) * share ** 3
    }
    return passages
      .map((passage, position) => ({ passage, score: scoreAt(position) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .map(({ passage }) => passage)
  }
}

/** @param {Record<string, string>} passage */
function weighWords(passage) {
  /** @type {Map<string, number>} */
  const weighed = new Map()
  for (const [field, weight] of Object.entries(weights)) {
    const words = wordsIn(passage[field] ?? '')
    // A word counts less in a longer text, and repetition counts little.
    const each = weight / Math.sqrt(1 + words.length / (field === 'text' ? 100 : 4))
    for (const word of words) weighed.set(word, Math.min((weighed.get(word) ?? 0) + each, 2 * weight))
  }
  return weighed
}

/**
 * The best match in each passage. Rare words count more.
 * @param {Map<string, Map<number, number>>} index
 * @param {string} asked
 * @param {number} count
 */
function scoresOf(index, asked, count) {
  /** @type {Map<number, number>} */
  const scores = new Map()
  const matches = [...index].map(([word, places]) => ({ places, likeness: likeness(asked, word) }))
  for (const { places, likeness } of matches.filter((match) => match.likeness > 0)) {
    const rarity = Math.log(1 + count / places.size)
    for (const [position, weight] of places) {
      scores.set(position, Math.max(scores.get(position) ?? 0, weight * rarity * likeness))
    }
  }
  return scores
}

/**
 * 1 for the same word, less for a beginning or a typing error, 0 for another word.
 * @param {string} asked
 * @param {string} word
 */
function likeness(asked, word) {
  if (word === asked) return 1
  if (asked.length > 1 && word.startsWith(asked)) return 0.5 + 0.4 * (asked.length / word.length)
  const allowed = asked.length < 4 ? 0 : asked.length < 8 ? 1 : 2
  if (allowed === 0 || Math.abs(word.length - asked.length) > allowed) return 0
  return distance(asked, word) <= allowed ? 0.4 : 0
}

/**
 * Letters to insert, delete, replace or swap with the next one.
 * @param {string} one
 * @param {string} other
 */
function distance(one, other) {
  let [before, row] = [/** @type {number[]} */ ([]), Array.from({ length: other.length + 1 }, (_, at) => at)]
  for (let i = 1; i <= one.length; i++) {
    const next = [i]
    for (let j = 1; j <= other.length; j++) {
      const isSame = one[i - 1] === other[j - 1]
      const isSwapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]
      const replaced = Number(row[j - 1]) + (isSame ? 0 : 1)
      const swapped = isSwapped ? Number(before[j - 2]) + 1 : Number.POSITIVE_INFINITY
      next[j] = Math.min(Number(row[j]) + 1, Number(next[j - 1]) + 1, replaced, swapped)
    }
    ;[before, row] = [row, next]
  }
  return Number(row.at(-1))
}

/**
 * Parts of an identifier are words too. A plural is found by its singular.
 * @param {string} text
 */
const wordsIn = (text) =>
  (text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? [])
    .flatMap((word) => (word.includes('_') ? [word, ...word.split('_')] : [word]))
    .map((word) => (/[^s]s$/.test(word) && word.length > 3 ? word.slice(0, -1) : word))
    .filter((word) => word !== '' && !stopWords.has(word))

const stopWords = new Set(
  'a an and are as at be by can do for from how i if in is it my of on or the this to when with'.split(' '),
)
