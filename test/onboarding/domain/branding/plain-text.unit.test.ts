// Tenant-provided text: deceptive characters are rejected, all languages are accepted.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { nameError, sentenceError } from '../../../../src/onboarding/domain/branding/plain-text.ts'
import { wordingError } from '../../../../src/onboarding/domain/branding/wording.ts'

const unseen = 'must not contain invisible or control characters, such as those that turn text around'
const mixed = 'must not mix letters of alphabets that look alike within a word'
const markup = 'must be plain text, without markup'
const address = 'must not contain web or email addresses'

describe('a name', () => {
  test.each([
    'Acme',
    'Ärzte & Söhne GmbH',
    'A<B Testing',
    'Яндекс Acme',
    'Ελλάδα',
    '株式会社サンプル',
    'ＮＴＴ東日本',
    'ユーザー',
    'شرکت نمونه',
    'می\u200cخواهم',
    'क्\u200dष',
    'Tiếng Việt',
    '한국어',
    'Gmailを使う',
    'Acme™',
    'O’Reilly – Co. №1',
  ])('accepts %s', (name) => {
    expect(nameError(name)).toBeUndefined()
  })

  test.each([
    ['a direction override', 'Acme\u202Egnp.exe', unseen],
    ['a direction isolate', '\u2067Acme\u2069', unseen],
    ['a direction mark', 'Acme\u200F', unseen],
    ['a zero-width space', 'Ac\u200Bme', unseen],
    ['a joiner between Latin letters', 'Ac\u200Dme', unseen],
    ['a joiner at the end', 'می\u200c', unseen],
    ['a soft hyphen', 'Ac\u00ADme', unseen],
    ['a byte order mark', '\uFEFFAcme', unseen],
    ['a Hangul filler', '\u3164', unseen],
    ['an empty braille cell', '\u2800', unseen],
    ['a variation selector', 'Acme\uFE0F', unseen],
    ['a tag character', 'Acme\u{E0041}', unseen],
    ['private use', 'Acme\uE000', unseen],
    ['half a surrogate pair', 'Acme\uD800', unseen],
    ['mathematical letters', '𝐆𝐨𝐨𝐠𝐥𝐞', unseen],
    ['a Cyrillic letter among Latin letters', 'Gооgle', mixed],
    ['a Greek letter among Latin letters', 'Αcme', mixed],
    ['a Cherokee letter among Latin letters', 'Ꭺcme', mixed],
    ['stacked combining marks', 'A\u0300\u0301\u0302\u0303cme', 'must not stack more than three marks on a letter'],
    ['two lines', 'Acme\nLtd', 'must be one line'],
    ['a line separator', 'Acme\u2028Ltd', 'must be one line'],
  ])('rejects %s', (_what, name, error) => {
    expect(nameError(name)).toBe(error)
  })
})

describe('a sentence', () => {
  test.each([
    'We use your calendar to find times that suit everybody.',
    'Fragen? Rufen Sie uns an: +49 30 123456 (Mo.–Fr., z. B. vormittags).',
    'Nous utilisons votre agenda : rien d’autre, e.g. aucun message !',
    'カレンダーを使用して、空いている時間を探します。ご不明な点はお問い合わせください。',
    'Mehr als 50 % sparen 5 € & mehr',
    'Versão 2.5 já disponível',
  ])('accepts %s', (text) => {
    expect(wordingError(text)).toBeUndefined()
  })

  test.each([
    ['<b>Hello</b>', markup],
    ['<script>alert(1)</script>', markup],
    ['5 < 6', markup],
    ['Hello&nbsp;you', markup],
    ['&#x3c;b&#x3e;', markup],
    ['See https://evil.example', address],
    ['See www.evil', address],
    ['Go to evil.com/login', address],
    ['Go to ｅｖｉｌ．ｃｏｍ', address],
    ['Go to пример.рф', address],
    ['Visit evil。example', address], // T14
    ['Visit evil｡example', address],
    ['Write to help@acme', address],
    ['Verified ✅', 'must not contain emoji or symbols'],
    ['🔒 Secure', 'must not contain emoji or symbols'],
    ['Pay\u202Elap', unseen],
    ['Раypal', mixed],
    ['x'.repeat(201), 'must have at most 200 characters'],
  ])('rejects %s', (text, error) => {
    expect(wordingError(text)).toBe(error)
  })

  test('accepted text contains no character that a browser would hide, reorder or parse as markup', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 6 }), (text) => {
        fc.pre(sentenceError(text) === undefined)
        expect(text).not.toMatch(/[<>\p{Cc}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff]/u)
      }),
      { numRuns: 300 },
    )
  })
})
