// Pseudo-locales change English messages, so that text without a message stands out on a page.
import type { IntlMessageFormat } from 'intl-messageformat'

type Ast = ReturnType<IntlMessageFormat['getAst']>
type Element = Ast[number]

export type Pseudo = { dir: 'ltr' | 'rtl'; change(text: string): string }

const accented: Readonly<Record<string, string>> = {
  ...{ a: 'á', c: 'ç', e: 'é', g: 'ğ', i: 'î', k: 'ķ', l: 'ļ', n: 'ñ', o: 'ö', r: 'ŕ', s: 'š', t: 'ţ', u: 'û', y: 'ý' },
  ...{ A: 'Å', C: 'Ç', D: 'Ð', E: 'É', I: 'Î', K: 'Ķ', N: 'Ñ', O: 'Ö', R: 'Ŕ', S: 'Š', T: 'Ţ', U: 'Û', W: 'Ŵ', Y: 'Ý' },
}

/** Accented, and a third longer, like a translation. */
const lengthened: Pseudo = {
  dir: 'ltr',
  change(text) {
    const letters = text.replace(/[A-Za-z]/g, (letter) => accented[letter] ?? letter)
    const words = text.match(/[A-Za-z]{3,}/g)?.length ?? 0
    if (words === 0) return letters
    const end = letters.slice(letters.trimEnd().length)
    return `⟦${letters.trimEnd()}${' ~~'.repeat(Math.ceil(words / 3))}${end}⟧`
  },
}

/** U+202E overrides the direction up to U+202C. */
const mirrored: Pseudo = {
  dir: 'rtl',
  change: (text) => text.replace(/[^\s].*[^\s]|[^\s]/su, (words) => `\u202e${words}\u202c`),
}

/** Named as in Android. */
export const pseudoLocales: Readonly<Record<string, Pseudo>> = { 'en-XA': lengthened, 'ar-XB': mirrored }

/** Changes the text of a message, not its arguments. */
export const pseudoAst = (ast: Ast, pseudo: Pseudo): Ast => ast.map((element) => changed(element, pseudo))

const literal = 0

function changed(element: Element, pseudo: Pseudo): Element {
  if (element.type === literal) return { ...element, value: pseudo.change(element.value) } as Element
  if ('children' in element) return { ...element, children: pseudoAst(element.children, pseudo) }
  if (!('options' in element)) return element
  const options = Object.entries(element.options).map(([name, option]) => [
    name,
    { ...option, value: pseudoAst(option.value, pseudo) },
  ])
  return { ...element, options: Object.fromEntries(options) } as Element
}
