// Arguments of a call for the person who decides on it.

type PlainArgument = { name: string; value: string }

/** One line per value; names of nested values have their path. */
export function plainArguments(value: unknown, path: readonly string[] = []): PlainArgument[] {
  if (typeof value === 'object' && value !== null) {
    const inner = Object.entries(value)
    const isList = Array.isArray(value)
    if (inner.length > 0) {
      return inner.flatMap(([name, each]) => plainArguments(each, [...path, isList ? String(Number(name) + 1) : name]))
    }
    return [{ name: nameOf(path), value: isList ? '(empty list)' : '(nothing)' }]
  }
  if (value === '') return [{ name: nameOf(path), value: '(empty text)' }]
  return [{ name: nameOf(path), value: typeof value === 'string' ? visible(value) : String(value) }]
}

/** Numbers such as 1e999, which JSON would store as null. */
export const withoutLoss = (_name: string, value: unknown): unknown =>
  typeof value === 'number' && !Number.isFinite(value) ? String(value) : value

/** A name must not look like a path. */
const nameOf = (path: readonly string[]): string =>
  path.map((name) => visible(name).replace(/[›\n\t]/g, code)).join(' › ')

/** Control and format characters, which reorder or hide text, and letters and marks that show nothing. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Cn}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]/gu

/** Line breaks and tabs stay. */
export const visible = (text: string): string =>
  text.replace(unseen, (character) => (character === '\n' || character === '\t' ? character : code(character)))

const code = (character: string): string =>
  `⟨U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}⟩`
