// The page of metrics names every metric of both programs, with its labels, and no other.
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { namesOf, onboardingMetrics, platformMetrics } from '../support/oracles/all-metrics.ts'
import { readDocument, tableRows } from './documents.ts'
import { readSource, sourceFiles } from './source-imports.ts'

const page = readDocument('docs/reference/metrics.md')

const documented = (prefix: 'causeway' | 'platform') =>
  tableRows(page, /^`(?:…|causeway|platform)_\w+`/)
    .map(([cell = '']) => (/^`(\S+)`/.exec(cell)?.[1] ?? '').replace('…', prefix))
    .filter((name) => name.startsWith(`${prefix}_`))
    .sort()

test.each([
  ['causeway', onboardingMetrics],
  ['platform', platformMetrics],
] as const)('the metrics of %s are on the page, all of them', (prefix, metrics) => {
  expect(documented(prefix)).toEqual(namesOf(metrics()).sort())
})

test('labels are from one closed list: an id or a text of somebody would grow without end', () => {
  const known = new Set(
    tableRows(page, /^`(?:…|causeway|platform)_\w+`/).flatMap(([, labels = '']) =>
      labels.startsWith('`') ? (labels.match(/\w+/g) ?? []) : [],
    ),
  )
  const bounded = [
    'version',
    'node',
    'method',
    'route',
    'status',
    'loop',
    'state',
    'dependency',
    'queue',
    'integration',
  ]
  const ofLists = ['outcome', 'whose_move', 'cause', 'tenant', 'call', 'check']

  expect([...known].sort()).toEqual([...bounded, ...ofLists].sort())
})

test('what makes metrics does so in the files that the oracle of this test calls', () => {
  const makers = sourceFiles().filter((file) =>
    /\bmetrics\.(?:counter|histogram|gauge|storeGauge)\(/.test(readSource(file)),
  )
  const oracle = readFileSync(new URL('../support/oracles/all-metrics.ts', import.meta.url), 'utf8')
  const called = (file: string) =>
    oracle.includes(file) || /observed\/observed-\w/.test(file) || file === 'kit/process/metrics.ts'

  expect(makers.filter((file) => !called(file))).toEqual([])
})
