import { expect, test } from 'vitest'
import { readDocument, tableRows } from './documents.ts'

const entries = tableRows(readDocument('docs/glossary.md'), /^\*\*/)
const words = entries.map(([word = '']) => word.replaceAll('*', ''))

test('the glossary has at most thirty words, unique and in order', () => {
  expect(words.length).toBeLessThanOrEqual(30)
  expect(words).toEqual([...new Set(words)].sort())
})

test('each word is explained in one or two sentences', () => {
  const long = entries.filter(([, meaning = '']) => meaning.split(/\.(?: |$)/).filter(Boolean).length > 2)

  expect(long).toEqual([])
})
