// Both programs take the schemas of their common API from the contract.
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

/** Forms that only our own templates send. */
const pages = [
  'platform/billing/http/pages/cost-controls.ts',
  'platform/gateway/http/approval-pages.ts',
  'platform/identity/http/interaction-pages.ts',
  'platform/identity/http/key-pages.ts',
]

const matching = (room: RegExp, pattern: RegExp): string[] =>
  sourceFiles().filter((file) => room.test(file) && pattern.test(readSource(file)))

test('routes of the platform define no schema of a query, a header or a body', () => {
  const own = matching(/^platform\/.*http\//, /\bz\s*\.(object|strictObject|looseObject|enum|literal|string|record)\(/)

  expect(own).toEqual(pages)
})

test('onboarding reads the platform with schemas of the contract', () => {
  const own = matching(/^onboarding\/adapters\/platform\//, /\bz\s*\.(?!object\b|infer\b)\w+/)

  expect(own).toEqual([])
})
