import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

const shapes = [
  /catch\s*(?:\([^()]*\)\s*)?\{\s*\}/g, // a block without even a comment that says why
  /[(,]\s*\([\w\s,:]*\)\s*=>\s*\{\s*\}/g, // handed over at once
  /\bconst \w+ = \([\w\s,:]*\)\s*=>\s*\{\s*\}/g, // handed over by a name
]

const emptyHandlers = (text: string) => shapes.flatMap((shape) => [...text.matchAll(shape)].map(([found]) => found))

test('error handlers log, answer, or say why the error is ignored', () => {
  const found = sourceFiles().flatMap((file) => emptyHandlers(readSource(file)).map((handler) => `${file}: ${handler}`))

  expect(found).toEqual([])
})

test.each([
  'try { work() } catch {}',
  'try { work() } catch (error) {\n  }',
  'work().catch(() => {})',
  'work().catch((error: Error) => {})',
  `client.on('error', () => {})`,
  'work().then(\n  done,\n  () => {},\n)',
  'const onError = given ?? (() => {})',
  'const quietly = () => {}',
])('the check finds %j', (text) => {
  expect(emptyHandlers(text)).toHaveLength(1)
})
