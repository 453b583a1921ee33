// Dashboards, rules and runbooks use metrics that exist. `npm run generate -- --release-check` lists metrics without a panel.
import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { kitMetrics } from '../../src/kit/process/metric-table.ts'
import { createMetrics } from '../../src/kit/process/metrics.ts'
import { onboardingMetrics } from '../../src/onboarding/domain/reports/metrics.ts'
import { platformMetrics } from '../../src/platform/shared/domain/metrics.ts'
import { readDocument, root } from './documents.ts'

type Target = { expr: string; legendFormat: string }
type Panel = { title: string; type: string; description?: string; targets?: Target[] }

const dashboards = readdirSync(new URL('deploy/grafana/', root))
  .filter((name) => name.endsWith('.json'))
  .map((name) => JSON.parse(readFileSync(new URL(`deploy/grafana/${name}`, root), 'utf8')) as { panels: Panel[] })

const shown = dashboards.flatMap(({ panels }) => panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)))

const rules = ['recording-rules', 'causeway-alerts', 'platform-alerts'].map((name) =>
  readDocument(`deploy/prometheus/${name}.yml`),
)

const programs = { causeway: onboardingMetrics, platform: platformMetrics }
const existing = new Set(
  Object.entries(programs).flatMap(([prefix, own]) => [
    ...Object.values({ ...kitMetrics, ...own }).map(({ name }) => `${prefix}_${name}`),
    ...createMetrics(prefix)
      .describe()
      .map(({ name }) => name),
  ]),
)
const recorded = new Set(rules.flatMap((text) => [...text.matchAll(/- record: (\S+)/g)].map(([, name]) => name)))

/** A part of a histogram counts as the histogram. */
const namesIn = (expression: string): string[] =>
  // Quoted words are label values.
  (expression.replaceAll(/"[^"]*"/g, '').match(/\b(?:causeway|platform)[_:][\w:]+/g) ?? []).map((name) =>
    name.replace(/_(?:bucket|count|sum)$/, ''),
  )

test('metrics in dashboards and rules exist or are recorded by a rule', () => {
  const expressions = [
    ...shown,
    ...rules.flatMap((text) => text.split('\n').filter((line) => !/^\s*(?:#|- (?:name|record|alert))/.test(line))),
  ]
  const asked = expressions.filter((line) => !line.includes('runbook:')).flatMap(namesIn)

  expect([...new Set(asked)].filter((name) => !existing.has(name) && !recorded.has(name))).toEqual([])
})

test('the SLO panel comes first', () => {
  expect(dashboards.map(({ panels }) => panels[0]?.title)).toEqual(['Promises (SLO)', 'Promise (SLO)'])
})

/** The time range that a panel's title names. */
const periods: Record<string, RegExp> = {
  '5m': /in 5 minutes/,
  '1h': /per hour|last hour/,
  '1d': /per day|last day/,
  '7d': /last week/,
}

const periodsOf = (expression: string): string[] =>
  [...expression.matchAll(/\[(\d+\w)\]|ratio_rate(\d+\w)/g)].map(([, range, recorded]) => range ?? recorded ?? '')

test('a panel states the time range of its figures', () => {
  for (const { title, description = '', targets = [] } of dashboards.flatMap(({ panels }) => panels)) {
    for (const { expr, legendFormat } of targets) {
      const said = `${title} ${description} ${legendFormat}`
      for (const period of periodsOf(expr)) expect(said, title).toMatch(periods[period] ?? period)
    }
    const asked = targets.flatMap(({ expr }) => periodsOf(expr))
    for (const [period, words] of Object.entries(periods)) {
      if (words.test(title)) expect(asked, title).toContain(period)
    }
    expect(title).not.toMatch(/\d days/)
    expect(/per minute/.test(title), title).toBe(targets.some(({ expr }) => expr.startsWith('60 *')))
  }
})

test('each alert links to its runbook, and each runbook has an alert', () => {
  const alerts = rules.flatMap((text) => [...text.matchAll(/- alert: (\w+)/g)].map(([, name = '']) => name))
  const runbooks = [...readDocument('docs/reference/alerts.md').matchAll(/^### (\w+)$/gm)].map(([, name]) => name)
  const links = rules.flatMap((text) =>
    [...text.matchAll(/runbook: docs\/reference\/alerts\.md#(\w+)/g)].map(([, at]) => at),
  )

  expect([...runbooks].sort()).toEqual([...alerts].sort())
  expect(links).toEqual(alerts.map((name) => name.toLowerCase()))
})
