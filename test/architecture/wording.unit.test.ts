// Punctuation and form of address in the texts for end users, by language.
import { describe, expect, test } from 'vitest'
import { readMessages } from '../../src/kit/messages/read-messages.ts'

const files = readMessages()

/** The texts of a language by key, without ICU syntax. */
function textsIn(lang: string): Array<[name: string, text: string]> {
  const { messages = {}, phrases = {} } = files[lang] ?? {}
  const texts = Object.entries({ ...messages, ...phrases })
  return texts.map(([name, text]) => [name, text.replace(/\{count, plural,|\b(?:one|other) (?=\{)/g, '')])
}

const having = (lang: string, pattern: RegExp) => textsIn(lang).filter(([, text]) => pattern.test(text))

/** A whole word: `\b` knows only English letters. */
const word = (words: string) => new RegExp(`(?<!\\p{L})(?:${words})(?!\\p{L})`, 'iu')

describe('texts use the formal address', () => {
  test.each([
    ['de', 'du|dich|dir|dein\\p{L}*|euch|euer|eure\\p{L}*'],
    ['es', 'tú|te|ti|tu|tus|contigo|vosotros|os'],
    ['fr', 'tu|te|toi|ton|ta|tes'],
    ['pt-BR', 'tu|te|ti|teu|teus|tua|tuas|contigo|vós'],
    ['ja', 'あなた|君|きみ'],
  ])('%s', (lang, friendly) => {
    const familiar = lang === 'ja' ? new RegExp(friendly) : word(friendly)

    expect(textsIn(lang).length).toBeGreaterThan(500)
    expect(having(lang, familiar)).toEqual([])
  })
})

test('fr: no participle depends on the gender of the reader', () => {
  // "Demandé à vous" does not agree with the reader.
  expect(having('fr', /(?<!\p{L})vous (?:a|ont|avait|êtes|serez) (?!demandé(?!\p{L}))\p{L}+é(?!\p{L})/u)).toEqual([])
})

test('fr: no line break before a colon, semicolon or question mark, or inside guillemets', () => {
  expect(having('fr', /[^\u00a0\u202f][:;?!»]|«[^\u00a0\u202f]/).filter(([, text]) => !/Aha!/.test(text))).toEqual([])
})

test('each language uses its own quotation marks', () => {
  expect(having('de', /["«»”]|“(?=\p{L})/u)).toEqual([])
  expect(having('es', /["„“”]/)).toEqual([])
  expect(having('fr', /["„“”]/)).toEqual([])
  expect(having('ja', /["„“”«»]/)).toEqual([])
  expect(having('pt-BR', /["„«»]/)).toEqual([])
})

test('apostrophes are typographic', () => {
  for (const lang of Object.keys(files)) expect(having(lang, /\p{L}'\p{L}/u), lang).toEqual([])
})

test('es: questions open with an inverted question mark', () => {
  const counted = (text: string, mark: string) => text.split(mark).length

  expect(textsIn('es').filter(([, text]) => counted(text, '?') !== counted(text, '¿'))).toEqual([])
})

test('pt-BR: names of apps and products have their article', () => {
  expect(having('pt-BR', /(?<!(?<!\p{L})(?:o|ao|do|no|contas?) )\{(?:app|tenant)\}/iu)).toEqual([])
})

test('ja: punctuation is full-width, and names keep their particle', () => {
  const japanese = /[\u3040-\u30ff\u3400-\u9fff]/

  expect(having('ja', /[,;:?](?=\s|$)|[\u3040-\u30ff\u3400-\u9fff][.,:;!?]/)).toEqual([])
  expect(having('ja', /[\p{Script=Latin}\d})>!] [\u3040-\u309f]/u)).toEqual([])
  expect(textsIn('ja').filter(([, text]) => !japanese.test(text) && !/^SNS$/.test(text))).toEqual([])
})

test('an ellipsis is one character, without a space before it', () => {
  for (const lang of Object.keys(files)) expect(having(lang, /\.\.\.| …/), lang).toEqual([])
})
