import { expect, test } from 'vitest'
import { highlight } from '../../src/kit/markdown/highlight.ts'

const partsOf = (language: string, code: string) =>
  [...highlight(language, code).matchAll(/<span class="code-(\w+)">([^<]*)<\/span>/g)].map(([, kind, text]) => [
    kind,
    text,
  ])

test.each([
  [
    'js',
    "const a = 'b' // c",
    [
      ['keyword', 'const'],
      ['string', '&#39;b&#39;'],
      ['comment', '// c'],
    ],
  ],
  [
    'python',
    'a = f"{b}"  # c\nif a: d()',
    [
      ['string', 'f&#34;{b}&#34;'],
      ['comment', '# c'],
      ['keyword', 'if'],
      ['call', 'd'],
    ],
  ],
  [
    'sh',
    'A=1 curl -X POST "$B" # c',
    [
      ['name', 'A'],
      ['keyword', '-X'],
      ['string', '&#34;$B&#34;'],
      ['comment', '# c'],
    ],
  ],
  [
    'json',
    '{ "a": ["b", true, -1.5] }',
    [
      ['name', '&#34;a&#34;'],
      ['string', '&#34;b&#34;'],
      ['keyword', 'true'],
      ['number', '-1.5'],
    ],
  ],
  [
    'http',
    'POST /a\nAccept: b\n\n{"c":"d"}',
    [
      ['call', 'POST'],
      ['name', 'Accept'],
      ['name', '&#34;c&#34;'],
      ['string', '&#34;d&#34;'],
    ],
  ],
  [
    'html',
    '<a href="b">c</a>',
    [
      ['call', '&lt;a'],
      ['name', 'href'],
      ['string', '&#34;b&#34;'],
      ['call', '&gt;'],
      ['call', '&lt;/a'],
      ['call', '&gt;'],
    ],
  ],
  [
    'yaml',
    'a: 1 # b',
    [
      ['name', 'a'],
      ['number', '1'],
      ['comment', '# b'],
    ],
  ],
])('highlights %s: %s', (language, code, parts) => {
  expect(partsOf(language, code)).toEqual(parts)
})

test.each(['js', 'python', 'sh', 'json', 'http', 'html', 'yaml', 'text'])(
  '%s: code is escaped and complete',
  (language) => {
    const code = `<b>"it's" & # // -x \${y} </b>\n`
    const entities: Record<string, string> = { '&lt;': '<', '&gt;': '>', '&#34;': '"', '&#39;': "'", '&amp;': '&' }

    const text = highlight(language, code).replaceAll(/<\/?span[^>]*>/g, '')

    expect(text).not.toMatch(/[<>"']/)
    expect(text.replaceAll(/&#?\w+;/g, (entity) => entities[entity] ?? entity)).toBe(code)
  },
)
