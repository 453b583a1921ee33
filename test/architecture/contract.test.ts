// Both programs take what they say to each other from the contract, and write no second version of it.
import { expect, test } from 'vitest'
import { readSource, sourceFiles } from './source-imports.ts'

/** Forms of our own pages: nobody but our own templates sends them. */
const pages = ['platform/billing/http/pages/cost-controls.ts', 'platform/identity/http/interaction-pages.ts']

const matching = (room: RegExp, pattern: RegExp): string[] =>
  sourceFiles().filter((file) => room.test(file) && pattern.test(readSource(file)))

test('no route of the platform has the schema of a query, a header or a body in it', () => {
  const own = matching(/^platform\/.*http\//, /\bz\s*\.(object|strictObject|looseObject|enum|literal|string|record)\(/)

  expect(own).toEqual(pages)
})

test('what onboarding reads of the platform is made of the contract, member by member', () => {
  const own = matching(/^onboarding\/adapters\/platform\//, /\bz\s*\.(?!object\b|infer\b)\w+/)

  expect(own).toEqual([])
})
