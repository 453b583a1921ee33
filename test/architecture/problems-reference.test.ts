import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { causeCodes, causes } from '../../src/onboarding/domain/cause.ts'
import { failureCodes } from '../../src/onboarding/domain/failure.ts'
import { causeGuides } from '../../src/onboarding/http/cause-guides.ts'
import { statuses } from '../../src/onboarding/http/problem.ts'
import { problemExplanations } from '../../src/onboarding/http/problem-explanations.ts'

const reference = readFileSync(new URL('../../docs/reference/problems.md', import.meta.url), 'utf8')

test('every failure code has a heading with its status, and no other code has one', () => {
  const headings = [...reference.matchAll(/^### `(\w+)` \((\d+)\)$/gm)].map(([, code, status]) => [
    code,
    Number(status),
  ])

  expect(headings).toEqual(failureCodes.map((code) => [code, statuses[code]]))
})

test('below each stands what the page of the API says, where the type of a problem leads', () => {
  const explained = [...reference.matchAll(/^### `(\w+)` \(\d+\)\n\n(.+)\n/gm)].map(([, code, text]) => [code, text])

  expect(explained).toEqual(failureCodes.map((code) => [code, problemExplanations[code]]))
})

test('every cause stands in the table with whose move it is, in the words of the product, and its guide', () => {
  const rows = [...reference.matchAll(/^\| `(\w+)` \| (\w+) \| (.+) \| \[.+\]\(\.\.\/guides\/(.+)\) \|$/gm)].map(
    ([, code, move, text, guide]) => [code, move, text, guide],
  )

  expect(rows).toEqual(
    causeCodes.map((code) => [
      code,
      causes[code].whoseMove,
      `${causes[code].title}. ${causes[code].advice}`,
      causeGuides[code],
    ]),
  )
})
