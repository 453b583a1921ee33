/** Returns the word whose letters differ least from those typed, in any order, if at most a third of them do. */
export function closestWord(typed: string, words: readonly string[]): string | undefined {
  const ranked = words
    .map((word) => ({ word, off: lettersOff(typed, word) }))
    .filter(({ word, off }) => off <= Math.floor(Math.max(word.length, typed.length) / 3))
    .sort((one, other) => one.off - other.off)
  return ranked[0]?.word
}

function lettersOff(one: string, other: string): number {
  let left = other
  let extra = 0
  for (const letter of one) {
    if (left.includes(letter)) left = left.replace(letter, '')
    else extra += 1
  }
  return Math.max(extra, left.length)
}
