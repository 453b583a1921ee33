// The texts of one language by key, in ICU's message syntax, and its way to write a span of time.
import { IntlMessageFormat } from 'intl-messageformat'
import { type Pseudo, pseudoAst } from './pseudo-locale.ts'

export type MessageValues = Record<string, string | number>

/** `tag`: the element of the message (`<strong>…</strong>`) that the text stands in. */
export type TextPart = { text: string; tag: string | undefined }

/** A text that may be in another language than its page. */
export type Phrase = { text: string; lang: string | undefined }

export type Translator = {
  /** For `lang`, `dir` and `Content-Language`. */
  lang: string
  dir: 'ltr' | 'rtl'
  t(key: string, values?: MessageValues): string
  /** For messages with elements: the page decides what they look like, a message cannot bring markup. */
  parts(key: string, values?: MessageValues): TextPart[]
  /** A text that comes from elsewhere, in English. It stays as it is if it was not translated. */
  phrase(english: string): Phrase
  /** From now until then, as in "in 15 minutes"; of a negative time, "15 minutes ago". */
  fromNow(ms: number): string
}

export type Texts = {
  messages: Readonly<Record<string, string>>
  /** By their English text. */
  phrases: Readonly<Record<string, string>>
}

/** `pseudo`: the texts are English, and are shown changed. `lang` is not a language that `Intl` knows then. */
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

/** A message is compiled when it is first needed: all of them at once would delay every start by a third of a second. */
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

/** Most messages are words and names. To join them takes a fraction of what the library takes, a dozen times a page. */
function formatOf(message: IntlMessageFormat): Format {
  const pieces = message.getAst().map(pieceOf)
  if (pieces.includes(undefined)) return (values) => message.format<TextPart>({ ...values, ...elements })
  return (values) => pieces.map((piece) => piece?.(values)).join('')
}

type Piece = (values: MessageValues) => string | number | undefined

// As the library numbers the kinds of its elements.
const literal = 0
const argument = 1

/** Returns undefined for what has to be formatted. */
function pieceOf(element: ReturnType<IntlMessageFormat['getAst']>[number]): Piece | undefined {
  if (element.type === literal) return () => element.value
  if (element.type === argument) return (values) => values[element.value]
  return undefined
}

const element =
  (tag: string) =>
  (chunks: Array<string | TextPart>): TextPart => ({ text: textOf(chunks), tag })

/** The elements that a message may have. */
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

/**
 * A name written in the other direction would take the words and points beside it along. U+2068 and U+2069 keep it to
 * itself (Unicode Standard Annex 9, "Explicit Directional Isolates"). What would reverse the text around it by force
 * is left out: no name needs it.
 */
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

/** The largest unit of which at least two are left. */
function largestUnit(ms: number): [count: number, unit: (typeof units)[number][0]] {
  const distance = Math.abs(ms)
  const [unit, length] = units.find(([, each]) => distance >= 2 * each) ?? units[2]
  return [Math.max(1, Math.round(distance / length)) * (ms < 0 ? -1 : 1), unit]
}
