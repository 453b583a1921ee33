import { expect, test } from 'vitest'
import { renderMarkdown } from '../../src/kit/markdown/render-markdown.ts'

const render = (text: string, addressOf = (target: string): string | undefined => `/site/${target}`) =>
  renderMarkdown(text, addressOf)

test('headings have the IDs that GitHub derives, also for duplicates', () => {
  const { title, headings } = render('# The `code` of it, and more\n\n## Fix it\n\n## Fix it\n')

  expect(title).toBe('The code of it, and more')
  expect(headings.map(({ id }) => id)).toEqual(['the-code-of-it-and-more', 'fix-it', 'fix-it-1'])
})

test('links lead to the site, and links without a target become text', () => {
  const known = (target: string) => (target === 'a.md' ? '/site/a' : undefined)

  expect(render('[here](a.md)', known).html).toBe('<p><a href="/site/a">here</a></p>\n')
  expect(render('[there](b.md) [here](a.md)', known).html).toBe(
    '<p><span>there</span> <a href="/site/a">here</a></p>\n',
  )
})

test.each(['<script>alert(1)</script>', '<img src=x onerror=alert(1)>', '```html\n<b>bold</b>\n```', '`<i>`'])(
  'HTML is escaped: %s',
  (text) => {
    expect(render(text).html).not.toMatch(/<(?:script|img|b|i)\b/)
  },
)

test.each(['[a](javascript:alert(1))', '[a](data:text/html,x)'])('%s is not a link', (text) => {
  expect(render(text, (target) => target).html).not.toContain('href')
})

test('a state diagram becomes a table of its moves', () => {
  const { html } = render(
    '```mermaid\nstateDiagram-v2\n  [*] --> open\n  open --> done: it "works"\n  done --> [*]\n```',
  )

  expect(html.match(/<tr><td>/g)).toHaveLength(1)
  expect(html).toContain('<td><code>open</code></td><td><code>done</code></td><td>it &#34;works&#34;</td>')
})

test('a passage is the text below one heading', () => {
  const { passages } = render(
    'Before.\n\n# One\n\nA [link](x) and `code`.\n\n| a | b |\n|---|---|\n| c | d |\n\n## Two\n',
  )

  expect(passages).toEqual([
    { id: '', heading: '', text: 'Before.' },
    { id: 'one', heading: 'One', text: 'A link and code. a b c d' },
    { id: 'two', heading: 'Two', text: '' },
  ])
})

test('consecutive code blocks in different languages become tabs, of which one is shown', () => {
  const { html, passages } = render('```js\nawait a()\n```\n\n```python\na()\n```\n\n```sh\ncurl a\n```\n')

  expect(html.match(/<fieldset/g)).toHaveLength(1)
  expect([...html.matchAll(/<input [^>]*value="(\w+)"( checked)?>([^<]*)/g)].map((each) => each.slice(1))).toEqual([
    ['js', ' checked', 'Node.js'],
    ['python', undefined, 'Python'],
    ['sh', undefined, 'curl'],
  ])
  expect([...html.matchAll(/data-tab="(\w+)"/g)].map(([, language]) => language)).toEqual(['js', 'python', 'sh'])
  expect(passages[0]?.text).toBe('await a()\na()\ncurl a\n')
})

test.each([
  ['in the same language', '```sh\na\n```\n\n```sh\nb\n```\n'],
  ['with text between them', '```js\na\n```\n\nOr:\n\n```sh\nb\n```\n'],
  ['that are not requests', '```http\nGET /\n```\n\n```json\n{}\n```\n'],
])('code blocks %s stay separate', (_why, text) => {
  expect(render(text).html.match(/<div class="code">/g)).toHaveLength(2)
})

test('a code block has its language, file or request as title', () => {
  const titles = (text: string) => /<div class="code-head"><span>([^<]*)/.exec(render(text).html)?.[1]

  expect(titles('```sh example\nnpm start\n```')).toBe('Shell')
  expect(titles('```js file=server.mjs\n1\n```')).toBe('server.mjs')
  expect(titles('```json POST /api/v1/links\n{}\n```')).toBe('POST /api/v1/links')
  expect(titles('```\nplain\n```')).toBe('Text')
})
