import { readFileSync } from 'node:fs'
import { describe, expect, test } from 'vitest'
import type { Finding } from '../../../src/onboarding/domain/health/health.ts'
import { isHealthUnknown } from '../../../src/onboarding/domain/health/health.ts'
import {
  type RefreshRefusal,
  refreshRefusals,
  refusalByStatus,
} from '../../../src/onboarding/domain/health/refresh-refusal.ts'

const kinds = Object.keys(refreshRefusals) as RefreshRefusal[]

const written = ({ outcome, cause }: Finding) => `\`${outcome}\`, \`${cause}\``

test('O1: the reference states what each refusal means', () => {
  const page = readFileSync('docs/reference/health-checks.md', 'utf8')
  const rows = page.split('\n').flatMap((line) => {
    const [, kind = '', , finding = ''] = line.split('|').map((cell) => cell.trim())
    return /^`\w+`$/.test(kind) ? [[kind.slice(1, -1), finding]] : []
  })

  expect(rows).toEqual(kinds.map((kind) => [kind, written(refreshRefusals[kind])]))
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
] as const)('O1: %i without a readable error is %s', (status, kind) => {
  expect(refusalByStatus(status)).toBe(kind)
})

describe('O1: unknown health', () => {
  const now = new Date('2026-11-15T12:00:00Z')
  const ago = (minutes: number) => new Date(now.getTime() - minutes * 60_000)

  test.each([
    ['not while checks are conclusive', undefined, 0, false],
    ['not after one check', ago(0), 1, false],
    ['not after many within an hour, which may be one outage', ago(59), 20, false],
    ['after three over an hour', ago(60), 3, true],
    ['not after two in half a day', ago(12 * 60), 2, false],
    ['after a day, whatever the number', ago(24 * 60), 1, true],
  ])('%s', (_, unclearSince, unclearChecks, expected) => {
    expect(isHealthUnknown({ unclearSince, unclearChecks, cause: 'provider_unavailable' }, now)).toBe(expected)
  })

  test('O21: a rejected client is reported only after a day, because the operator can correct it', () => {
    const rejected = { unclearChecks: 20, cause: 'client_rejected' } as const
    const found = [60, 23 * 60, 24 * 60].map((minutes) =>
      isHealthUnknown({ unclearSince: ago(minutes), ...rejected }, now),
    )

    expect(found).toEqual([false, false, true])
  })
})
