import { describe, expect, test } from 'vitest'
import { pickLocale } from '../../src/kit/messages/pick-locale.ts'
import { pseudoLocales } from '../../src/kit/messages/pseudo-locale.ts'
import { createTranslator } from '../../src/kit/messages/translator.ts'

describe('language selection', () => {
  const available = ['de', 'en', 'pt-BR']
  const cases: Array<[wanted: string[], picked: string | undefined]> = [
    [['de'], 'de'],
    [['DE-at'], 'de'],
    [['de-Latn-CH-1996'], 'de'],
    [['pt'], 'pt-BR'],
    [['pt-PT'], 'pt-BR'],
    [['pt-br'], 'pt-BR'],
    [['it', 'de;q=0.5', 'de'], 'de'],
    [['*'], undefined],
    [['dea'], undefined],
    [['en-XA'], 'en-XA'],
    [['ar'], undefined],
    [[], undefined],
  ]

  test.each(cases)('for %j is %s', (wanted, picked) => {
    expect(pickLocale(wanted, available, ['en-XA', 'ar-XB'])).toBe(picked)
  })
})

const texts = {
  messages: {
    'a.plain': 'Nothing was changed',
    'a.rich': 'Sign in as <strong>{account}</strong> again',
    'a.count': '{count, plural, one {# file} other {# files}}',
  },
  phrases: { 'See your files': 'Ihre Dateien sehen' },
}
const german = createTranslator('de', texts)

describe('a message', () => {
  test('formats values as text, never as markup', () => {
    expect(german.parts('a.rich', { account: '<b>Zed</b>' })).toEqual([
      { text: 'Sign in as ', tag: undefined },
      { text: '<b>Zed</b>', tag: 'strong' },
      { text: ' again', tag: undefined },
    ])
    expect(german.t('a.rich', { account: '{count}' })).toBe('Sign in as {count} again')
  })

  test('uses the plural forms and numbers of its language', () => {
    expect([1, 2, 1_500].map((count) => german.t('a.count', { count }))).toEqual(['1 file', '2 files', '1.500 files'])
  })

  test('shows its key if it is missing', () => {
    expect(german.t('a.missing')).toBe('a.missing')
  })

  test('isolates a right-to-left name', () => {
    expect(german.t('a.rich', { account: 'דנה' })).toBe('Sign in as \u2068דנה\u2069 again')
    expect(german.t('a.rich', { account: 'gpj\u202e.exe\u2069' })).toBe('Sign in as \u2068gpj.exe\u2069 again')
    expect(createTranslator('ar', texts).t('a.rich', { account: 'Zed' })).toContain('\u2068Zed\u2069')
  })
})

describe('a phrase of the catalogue', () => {
  test('is translated, or marked as English', () => {
    expect(german.phrase('See your files')).toEqual({ text: 'Ihre Dateien sehen', lang: undefined })
    expect(german.phrase('Walk your dog')).toEqual({ text: 'Walk your dog', lang: 'en' })
    expect(createTranslator('en', { ...texts, phrases: {} }).phrase('Walk your dog').lang).toBeUndefined()
  })
})

describe('a span of time', () => {
  const minute = 60_000

  test.each([
    ['in 15 Minuten', 15 * minute],
    ['in 1 Minute', 10],
    ['in 119 Minuten', 119 * minute],
    ['in 2 Stunden', 120 * minute],
    ['in 2 Tagen', 48 * 60 * minute],
  ])('%s', (text, ms) => {
    expect(german.fromNow(ms)).toBe(text)
  })
})

describe('a pseudo-locale', () => {
  const [accented, mirrored] = ['en-XA', 'ar-XB'].map((lang) => createTranslator(lang, texts, pseudoLocales[lang]))

  test('changes every word of a message, and no value', () => {
    expect(accented?.t('a.plain')).toMatch(/^⟦Ñöţĥ?h?îñğ.* ~~⟧$/)
    expect(accented?.t('a.rich', { account: 'Zed' })).toContain('Zed')
    expect(accented?.t('a.count', { count: 2 })).toMatch(/^2/)
  })

  test('leaves text without a message unchanged', () => {
    expect(accented?.phrase('Walk your dog')).toEqual({ text: 'Walk your dog', lang: 'en' })
    expect(accented?.phrase('See your files').text).toMatch(/^⟦/)
  })

  test('runs from right to left', () => {
    expect(mirrored).toMatchObject({ lang: 'ar-XB', dir: 'rtl' })
    expect(mirrored?.t('a.plain')).toBe('\u202eNothing was changed\u202c')
  })
})
