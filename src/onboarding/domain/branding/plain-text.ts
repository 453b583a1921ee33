// Text that somebody else wrote and that stands on our pages as if it were part of them.

/** Returns why a name cannot stand on a page as it is, or undefined if it can. Signs of markup are a name's own business. */
export function nameError(name: string): string | undefined {
  if (/[\n\r\t\p{Zl}\p{Zp}]/u.test(name)) return 'must be one line'
  if (unseen.test(name)) return 'must not contain invisible or control characters, such as those that turn text around'
  if (/\p{M}{4}/u.test(name)) return 'must not stack more than three marks on a letter'
  if (mixesAlphabets(name)) return 'must not mix letters of alphabets that look alike within a word'
  return undefined
}

/** The same for a sentence, which has no use for markup and symbols, and must not lead anywhere. */
export function sentenceError(text: string): string | undefined {
  const error = nameError(text)
  if (error) return error
  if (/[<>]|&#?\w{1,31};/u.test(text)) return 'must be plain text, without markup'
  if (/[\p{So}\p{Emoji_Presentation}]/u.test(text)) return 'must not contain emoji or symbols'
  // Full-width letters and points are read as plain ones, here as by whoever types them into a browser.
  if (webAddress.test(text.normalize('NFKC'))) return 'must not contain web or email addresses'
  return undefined
}

/**
 * Controls, direction marks, zero-width and filling characters, lone surrogates and private use: what is there without
 * being seen, or is seen as anything. Joiners stay where a script is written with them, between two letters of it.
 */
const unseen = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2800]`,
    String.raw`(?![\u200c\u200d])[\p{Cf}\p{Default_Ignorable_Code_Point}]`,
    String.raw`(?<![\p{L}\p{M}])[\u200c\u200d]`,
    String.raw`[\u200c\u200d](?![\p{L}\p{M}])`,
    String.raw`(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d]`,
    // Letters of formulas, which are all styles of the Latin and Greek ones.
    String.raw`[\u{1d400}-\u{1d7ff}]`,
  ].join('|'),
  'u',
)

/** Alphabets of which each has letters that pass for another's (Unicode Technical Standard 39, section 5.1). */
const alphabets = [
  /\p{sc=Latin}/u,
  /\p{sc=Cyrillic}/u,
  /\p{sc=Greek}/u,
  /\p{sc=Armenian}/u,
  /\p{sc=Cherokee}/u,
  /\p{sc=Coptic}/u,
  /\p{sc=Lisu}/u,
]

const mixesAlphabets = (text: string): boolean =>
  text.split(/[^\p{L}\p{M}]+/u).some((word) => alphabets.filter((alphabet) => alphabet.test(word)).length > 1)

/** A scheme, `www.`, an @ with something behind it, or two words joined by a point of which the last could be a domain. */
const webAddress = /:\/\/|\bwww\.|@[\p{L}\p{N}]|[\p{L}\p{N}]\.\p{L}{2,}/iu
