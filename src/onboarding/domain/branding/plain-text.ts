export function nameError(name: string): string | undefined {
  if (/[\n\r\t\p{Zl}\p{Zp}]/u.test(name)) return 'must be one line'
  if (unseen.test(name)) return 'must not contain invisible or control characters, such as those that turn text around'
  if (/\p{M}{4}/u.test(name)) return 'must not stack more than three marks on a letter'
  if (mixesAlphabets(name)) return 'must not mix letters of alphabets that look alike within a word'
  return undefined
}

export function sentenceError(text: string): string | undefined {
  const error = nameError(text)
  if (error) return error
  if (/[<>]|&#?\w{1,31};/u.test(text)) return 'must be plain text, without markup'
  if (/[\p{So}\p{Emoji_Presentation}]/u.test(text)) return 'must not contain emoji or symbols'
  // Browsers read full-width letters and dots as plain ones, and an ideographic full stop in a host as a dot.
  if (webAddress.test(text.normalize('NFKC').replace(/(?<=[\p{sc=Latin}\p{N}])\u3002(?=\p{sc=Latin})/gu, '.')))
    return 'must not contain web or email addresses'
  return undefined
}

/** Invisible or ambiguous characters. Joiners are allowed between two letters of a script that needs them. */
const unseen = new RegExp(
  [
    String.raw`[\p{Cc}\p{Cs}\p{Co}\p{Cn}\u2800]`,
    String.raw`(?![\u200c\u200d])[\p{Cf}\p{Default_Ignorable_Code_Point}]`,
    String.raw`(?<![\p{L}\p{M}])[\u200c\u200d]`,
    String.raw`[\u200c\u200d](?![\p{L}\p{M}])`,
    String.raw`(?<=[\p{sc=Latin}\p{sc=Greek}\p{sc=Cyrillic}])[\u200c\u200d]`,
    // Mathematical styles of Latin and Greek letters.
    String.raw`[\u{1d400}-\u{1d7ff}]`,
  ].join('|'),
  'u',
)

/** Alphabets with letters that look alike (Unicode Technical Standard 39, section 5.1). */
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

/** A scheme, `www.`, an @ with text behind it, or a dot between words whose last could be a domain. */
const webAddress = /:\/\/|\bwww\.|@[\p{L}\p{N}]|[\p{L}\p{N}]\.\p{L}{2,}/iu
