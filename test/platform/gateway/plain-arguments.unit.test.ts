// What the people who decide on a call see, and what their approval is for.
import { describe, expect, test } from 'vitest'
import { plainArguments, visible, withoutLoss } from '../../../src/platform/gateway/domain/approvals/plain-arguments.ts'
import { jsonDigest } from '../../../src/platform/gateway/domain/json-digest.ts'

describe('the page shows', () => {
  test.each<[what: string, value: unknown, shown: [name: string, value: string][]]>([
    [
      'one line per value',
      { to: ['a', 'b'] },
      [
        ['to › 1', 'a'],
        ['to › 2', 'b'],
      ],
    ],
    ['a name that looks like a path as it is', { 'to › 1': 'a' }, [['to ⟨U+203A⟩ 1', 'a']]],
    ['a name with a line break in one line', { 'a\nb': 1 }, [['a⟨U+000A⟩b', '1']]],
    [
      'what is empty',
      { a: '', b: [], c: {} },
      [
        ['a', '(empty text)'],
        ['b', '(empty list)'],
        ['c', '(nothing)'],
      ],
    ],
  ])('%s', (_what, value, shown) => {
    expect(plainArguments(value).map(({ name, value }) => [name, value])).toEqual(shown)
  })

  test.each([
    ['a tag character', '\u{e0041}', '⟨U+E0041⟩'],
    ['a grapheme joiner', '\u034f', '⟨U+034F⟩'],
    ['a vowel without a form', '\u17b4', '⟨U+17B4⟩'],
    ['a filler', '\u3164', '⟨U+3164⟩'],
    ['a variation selector', '\ufe0f', '⟨U+FE0F⟩'],
    ['a reversal', '\u202e', '⟨U+202E⟩'],
    ['a lone surrogate', '\ud800', '⟨U+D800⟩'],
    ['a blank pattern', '\u2800', '⟨U+2800⟩'],
  ])('%s as its code', (_what, character, code) => {
    expect(visible(`ada${character}@example.com`)).toBe(`ada${code}@example.com`)
  })

  test('text of any language as it is', () => {
    const text = 'Grüße, 東京　です, مرحبا,\n\tété'

    expect(visible(text)).toBe(text)
  })

  test('a number that JSON cannot store', () => {
    const stored = JSON.parse(JSON.stringify(JSON.parse('{"amount":1e999}'), withoutLoss))

    expect(plainArguments(stored)).toEqual([{ name: 'amount', value: 'Infinity' }])
  })
})

describe('an approval is for', () => {
  const same = (one: string, other: string) => jsonDigest(JSON.parse(one)) === jsonDigest(JSON.parse(other))

  test.each([
    ['another order of members', '{"a":1,"b":{"c":2,"d":3}}', '{"b":{"d":3,"c":2},"a":1}'],
    ['1.0 for 1', '{"a":1}', '{"a":1.0}'],
    ['-0 for 0', '{"a":0}', '{"a":-0}'],
    ['the last of two members, which is the one that is sent', '{"a":1,"a":2}', '{"a":2}'],
    ['an integer that is sent as another one', '{"a":9007199254740993}', '{"a":9007199254740992}'],
  ])('the same call: %s', (_what, one, other) => {
    expect(same(one, other)).toBe(true)
  })

  test.each([
    ['a text for a number', '{"a":1}', '{"a":"1"}'],
    ['null for nothing', '{"a":null}', '{}'],
    ['a number that is not null in every body', '{"a":null}', '{"a":1e999}'],
    ['the opposite infinity', '{"a":1e999}', '{"a":-1e999}'],
    ['another normal form of a letter', '{"a":"\u00e9"}', '{"a":"e\u0301"}'],
    ['an item moved', '{"a":[1,2]}', '{"a":[2,1]}'],
    ['a list for an object', '{"a":["x"]}', '{"a":{"0":"x"}}'],
    ['a nested member for a path', '{"a":{"b":1}}', '{"a.b":1}'],
    ['a member of the prototype', '{"__proto__":{"a":1}}', '{}'],
    ['a hidden character', '{"a":"x"}', '{"a":"x\u200b"}'],
  ])('another call: %s', (_what, one, other) => {
    expect(same(one, other)).toBe(false)
  })
})
