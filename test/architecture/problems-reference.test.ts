import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { causeCodes, causes, whoseMoves } from '../../src/onboarding/domain/cause.ts'
import { failureCodes } from '../../src/onboarding/domain/failure.ts'
import { causeGuides } from '../../src/onboarding/http/cause-guides.ts'
import { statuses } from '../../src/onboarding/http/problem.ts'
import { problemExplanations } from '../../src/onboarding/http/problem-explanations.ts'
import { problemMove } from '../../src/onboarding/http/problem-moves.ts'

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

test('whose move a problem is stands in a table where it is not the tenant’s', () => {
  const [, table = ''] = /^\| whose move \| problems \|\n\|.*\n((?:\|.*\n)+)/m.exec(reference) ?? []
  const rows = [...table.matchAll(/^\| (\w+) \| (.+) \|$/gm)].map(([, move, codes = '']) => [
    move,
    [...codes.matchAll(/\w+/g)].map(String),
  ])

  const others = whoseMoves.filter((move) => move !== 'tenant')
  expect(rows).toEqual(others.map((move) => [move, failureCodes.filter((code) => problemMove(code) === move)]))
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
