// Private members of libraries and of Node may change in any release, so `src` must not use them.
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

/** Public despite the underscore: of MCP messages, of Zod for authors of libraries, and of pages of Kubernetes lists. */
const published = new Set(['_meta', '_zod', '_continue'])

const symbolsAndBindings = /getOwnPropertySymbols|\bprocess\.binding\b|\binternalBinding\b|\[k[A-Z]\w+\]/g

function privateMembers(source: string): string[] {
  const code = source.replace(/\/\*.*?\*\/|\/\/.*$/gms, '')
  const found = [...code.matchAll(symbolsAndBindings)].map(([text]) => text)
  const open: string[] = []
  let before = ''
  for (const [token] of code.matchAll(/[{}()[\]]|_[a-z]\w*|[\w$]+|'[^'\n]*'|[^\s\w]/gi)) {
    // `value._name`, or a key of an object, a pattern or a type; `(_unused)` is a parameter.
    const isMember = before === '.' || (open.at(-1) === '{' && /^[{,;]$/.test(before))
    const isQuoted = before === '[' && token.startsWith("'_")
    const name = token.replaceAll("'", '')
    if (/^_[a-z]/i.test(name) && (isMember || isQuoted) && !published.has(name)) found.push(name)
    if ('{(['.includes(token)) open.push(token)
    if ('})]'.includes(token)) open.pop()
    before = token
  }
  return found
}

test('no source uses a private member of a library or of Node', () => {
  const found = sourceFiles().flatMap((file) => privateMembers(readSource(file)).map((name) => `${file}: ${name}`))

  expect(found).toEqual([])
})

test.each([
  'socket._handle?.writeQueueSize',
  '(pool as any)._pendingQueue',
  'const { _bytesDispatched, port } = socket as Socket & Sending',
  'const { port, _handle: handle } = socket',
  "client['_connected']",
  'type Sending = { port: number; _handle?: unknown }',
  "Object.getOwnPropertySymbols(stream).find((each) => each.description === 'kDestroyed')",
  'socket[kLastWriteQueueSize]',
  "process.binding('tcp_wrap')",
])('it finds %j', (source) => {
  expect(privateMembers(source)).toHaveLength(1)
})

test.each([
  'app.get(path, (_req, res, _next) => res.end())',
  'const { secret: _secret, ...others } = row',
  'const { _meta } = params // not socket._handle',
])('it accepts %j', (source) => {
  expect(privateMembers(source)).toEqual([])
})
