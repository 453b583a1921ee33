// Every row of a table is used somewhere. `npm run generate -- --check` compares the tables with the files made from them.
import { expect, test } from 'vitest'
import { kitEvents } from '../../src/kit/process/log-events.ts'
import { kitMetrics } from '../../src/kit/process/metric-table.ts'
import { auditActionNames } from '../../src/onboarding/domain/audit/audit-actions.ts'
import { causeCodes } from '../../src/onboarding/domain/cause.ts'
import { failureCodes } from '../../src/onboarding/domain/failure.ts'
import { linkStates } from '../../src/onboarding/domain/link.ts'
import { onboardingEvents } from '../../src/onboarding/domain/reports/log-events.ts'
import { onboardingMetrics } from '../../src/onboarding/domain/reports/metrics.ts'
import { platformEvents } from '../../src/platform/shared/domain/log-events.ts'
import { platformMetrics } from '../../src/platform/shared/domain/metrics.ts'
import { readSource, sourceFiles } from './source-imports.ts'

const tables =
  /domain\/(?:causes|failures|audit)\/|domain\/link-states\.ts|\/(?:log-events|metric-table|metrics)\.ts$|\/locals\//

const textOf = (...programs: string[]) =>
  sourceFiles()
    .filter((file) => programs.some((program) => file.startsWith(`${program}/`)) && !tables.test(file))
    .map(readSource)
    .join('\n')

const [kit, onboarding, platform] = [
  textOf('kit', 'onboarding', 'platform') + readSource('kit/process/metrics.ts'),
  textOf('kit', 'onboarding'),
  textOf('kit', 'platform'),
]

const unused = (names: readonly string[], text: string, used = (name: string) => `'${name}'`) =>
  names.filter((name) => !text.includes(used(name)))

test('every cause and every failure code is thrown or returned somewhere', () => {
  expect(unused(causeCodes, onboarding)).toEqual([])
  expect(unused(failureCodes, onboarding)).toEqual([])
})

test('every log event is written somewhere', () => {
  expect(unused(Object.keys(kitEvents), kit)).toEqual([])
  expect(unused(Object.keys(onboardingEvents), onboarding)).toEqual([])
  expect(unused(Object.keys(platformEvents), platform)).toEqual([])
})

test('every metric is created somewhere', () => {
  expect(unused(Object.keys(kitMetrics), kit, (name) => `kitMetrics.${name}`)).toEqual([])
  expect(unused(Object.keys(onboardingMetrics), onboarding, (name) => `onboardingMetrics.${name}`)).toEqual([])
  expect(unused(Object.keys(platformMetrics), platform, (name) => `platformMetrics.${name}`)).toEqual([])
})

test('metric labels are from one closed list: IDs and user texts would grow without bound', () => {
  const metrics = [kitMetrics, onboardingMetrics, platformMetrics].flatMap((each) => Object.values(each))
  const ofProcess = ['version', 'node', 'method', 'route', 'status', 'loop', 'state', 'dependency', 'queue']
  const ofLinks = ['integration', 'outcome', 'whose_move', 'cause', 'tenant', 'call', 'check']
  const ofAudit = ['destination']

  expect([...new Set(metrics.flatMap(({ labels }) => labels))].sort()).toEqual(
    [...ofProcess, ...ofLinks, ...ofAudit].sort(),
  )
})

test('every audit action is written somewhere, in full or as the state that a link moves to', () => {
  const states: string[] = linkStates.map((state) => `link.${state}`)

  expect(unused(auditActionNames, onboarding, usage)).toEqual([])

  function usage(action: string) {
    return states.includes(action) ? `'${action.replace('link.', '')}'` : `action: '${action}'`
  }
})

test('a person’s reason is never parsed', () => {
  const parsed = /\breason\??\.(?:match|startsWith|includes|split|replace|slice)|\breason\s*===\s*'/
  const found = sourceFiles().filter((file) => file.startsWith('onboarding/') && parsed.test(readSource(file)))

  expect(found).toEqual([])
})
