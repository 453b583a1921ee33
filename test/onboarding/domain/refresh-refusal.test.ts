import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/onboarding/domain/health/health.ts'
import { isHealthUnknown } from '../../../src/onboarding/domain/health/health.ts'
import {
  judgeRefusal,
  type RefreshRefusal,
  refreshRefusals,
  refusalByStatus,
} from '../../../src/onboarding/domain/health/refresh-refusal.ts'

const kinds = Object.keys(refreshRefusals) as RefreshRefusal[]

const written = ({ outcome, cause }: Finding) => `\`${outcome}\`, \`${cause}\``

test('O1: the reference states what each refusal means', () => {
  const page = readFileSync('docs/reference/health-checks.md', 'utf8')
  const rows = page.split('\n').flatMap((line) => {
    const [, kind = '', , first = '', again = ''] = line.split('|').map((cell) => cell.trim())
    return /^`\w+`$/.test(kind) ? [[kind.slice(1, -1), first, again === 'the same' ? first : again]] : []
  })

  expect(rows).toEqual(
    kinds.map((kind) => [kind, written(refreshRefusals[kind].first), written(refreshRefusals[kind].again)]),
  )
})

test('O1: a refusal that nobody explains breaks a connection the second time', () => {
  const found = [0, 1, 2].map((earlier) => judgeRefusal('unexplained', earlier).outcome)

  expect(found).toEqual(['unclear', 'broken', 'broken'])
})

test.each([
  [400, 'unexplained'],
  [401, 'unexplained'],
  [403, 'forbidden'],
  [404, 'not_found'],
  [410, 'not_found'],
  [429, 'throttled'],
  [500, 'server_error'],
  [503, 'server_error'],
  [302, 'redirected'],
  [200, 'unreadable_success'],
  [204, 'unreadable_success'],
] as const)('O1: %i without an error that can be read is %s', (status, kind) => {
  expect(refusalByStatus(status)).toBe(kind)
})

describe('O1: nobody knows whether a connection works', () => {
  const now = new Date('2026-11-15T12:00:00Z')
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

  test.each([
    ['never, while checks can tell', undefined, 0, false],
    ['not after one check', ago(0), 1, false],
    ['not after many within an hour, which meet one outage', ago(59), 20, false],
    ['after three over an hour', ago(60), 3, true],
    ['not after two in half a day', ago(12 * 60), 2, false],
    ['after a day, however many there were', ago(24 * 60), 1, true],
  ])('%s', (_, unclearSince, unclearChecks, expected) => {
    expect(isHealthUnknown({ unclearSince, unclearChecks }, now)).toBe(expected)
  })
})
