import { IntlMessageFormat } from 'intl-messageformat'
import { type Pseudo, pseudoAst } from './pseudo-locale.ts'

type MessageValues = Record<string, string | number>

/** `tag`: the element around the text, such as `strong`. */
export type TextPart = { text: string; tag: string | undefined }

/** `lang` is set if it differs from the language of the page. */
export type Phrase = { text: string; lang: string | undefined }

export type Translator = {
  /** For `lang`, `dir` and `Content-Language`. */
  lang: string
  dir: 'ltr' | 'rtl'
  t(key: string, values?: MessageValues): string
  /** For messages with elements. The page decides on the markup. */
  parts(key: string, values?: MessageValues): TextPart[]
  /** Translates an English text of the catalogue, or returns it as is. */
  phrase(english: string): Phrase
  /** "in 15 minutes"; "15 minutes ago" for a negative value. */
  fromNow(ms: number): string
}

export type Texts = {
  messages: Readonly<Record<string, string>>
  /** By English text. */
  phrases: Readonly<Record<string, string>>
}

/** With `pseudo`, the texts are English, and `lang` is unknown to `Intl`. */
export function createTranslator(lang: string, texts: Texts, pseudo?: Pseudo): Translator {
  const dir = pseudo?.dir ?? (writtenLeftwards.has(new Intl.Locale(lang).language) ? 'rtl' : 'ltr')
  const intlLocale = pseudo ? 'en' : lang
  const change = pseudo?.change ?? ((text: string) => text)
  const formats = compiledMessages(texts.messages, intlLocale, pseudo)
  let times: Intl.RelativeTimeFormat | undefined
  const format = (key: string, values: MessageValues | undefined) =>
    formats(key)?.(values ? isolated(values, dir) : {}) ?? key
  return {
    lang,
    dir,
    t: (key, values) => textOf(format(key, values)),
    parts: (key, values) => partsOf(format(key, values)),
    phrase(english) {
      const text = texts.phrases[english]
      if (text !== undefined) return { text: change(text), lang: undefined }
      return { text: english, lang: intlLocale === 'en' && !pseudo ? undefined : 'en' }
    },
    fromNow(ms) {
      times ??= new Intl.RelativeTimeFormat(intlLocale, { numeric: 'always' })
      return change(times.format(...largestUnit(ms)))
    },
  }
}

const writtenLeftwards: ReadonlySet<string> = new Set(['ar', 'fa', 'he', 'ur'])

type Format = (values: MessageValues) => FormatResult

/** Compiles a message on first use: all at once would delay the start by 0.3 s. */
function compiledMessages(messages: Texts['messages'], locale: string, pseudo: Pseudo | undefined) {
  const compiled = new Map<string, Format>()
  return (key: string): Format | undefined => {
    const known = compiled.get(key)
    const text = messages[key]
    if (known || text === undefined) return known
    const made = new IntlMessageFormat(text, locale)
    const format = formatOf(pseudo ? new IntlMessageFormat(pseudoAst(made.getAst(), pseudo), locale) : made)
    compiled.set(key, format)
    return format
  }
}

/** Most messages are text and names. Joining these is much cheaper than the library. */
function formatOf(message: IntlMessageFormat): Format {
  const pieces = message.getAst().map(pieceOf)
  if (pieces.includes(undefined)) return (values) => message.format<TextPart>({ ...values, ...elements })
  return (values) => pieces.map((piece) => piece?.(values)).join('')
}

type Piece = (values: MessageValues) => string | number | undefined

// Element types of the library.
const literal = 0
const argument = 1

/** Undefined for elements that need formatting. */
function pieceOf(element: ReturnType<IntlMessageFormat['getAst']>[number]): Piece | undefined {
  if (element.type === literal) return () => element.value
  if (element.type === argument) return (values) => values[element.value]
  return undefined
}

const element =
  (tag: string) =>
  (chunks: Array<string | TextPart>): TextPart => ({ text: textOf(chunks), tag })

const elements = { strong: element('strong'), link: element('link') }

type FormatResult = string | TextPart | Array<string | TextPart>

const partsOf = (formatted: FormatResult): TextPart[] =>
  [formatted].flat().map((part) => (typeof part === 'string' ? { text: part, tag: undefined } : part))

const textOf = (formatted: FormatResult): string =>
  typeof formatted === 'string'
    ? formatted
    : partsOf(formatted)
        .map(({ text }) => text)
        .join('')

/** Isolates values (Unicode Annex 9), so that a right-to-left name doesn't reorder the text around it. */
function isolated(values: MessageValues, dir: Translator['dir']): MessageValues {
  const needsIsolation = (value: string | number) =>
    typeof value === 'string' && (dir === 'rtl' || rightToLeft.test(value) || directionMarks.test(value))
  if (!Object.values(values).some(needsIsolation)) return values
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, needsIsolation(value) ? isolate(String(value)) : value]),
  )
}

const isolate = (text: string) => `\u2068${text.replaceAll(everyDirectionMark, '')}\u2069`

const rightToLeft = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/
const directionMarks = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/
const everyDirectionMark = new RegExp(directionMarks, 'g')

const minute = 60_000
const units = [
  ['day', 24 * 60 * minute],
  ['hour', 60 * minute],
  ['minute', minute],
] as const

/** The largest unit with a count of at least two. */
function largestUnit(ms: number): [count: number, unit: (typeof units)[number][0]] {
  const distance = Math.abs(ms)
  const [unit, length] = units.find(([, each]) => distance >= 2 * each) ?? units[2]
  return [Math.max(1, Math.round(distance / length)) * (ms < 0 ? -1 : 1), unit]
}
