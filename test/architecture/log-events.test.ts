// The page of log events is true: each event of the programs is on it with its level, and somebody writes it.
import { expect, test } from 'vitest'
import { kitEvents, type LogEvents } from '../../src/kit/process/log-events.ts'
import { onboardingEvents } from '../../src/onboarding/domain/log/log-events.ts'
import { platformEvents } from '../../src/platform/shared/domain/log-events.ts'
import { readDocument, tableRows } from './documents.ts'
import { readSource, sourceFiles } from './source-imports.ts'

const page = readDocument('docs/reference/log-events.md')

const [, both = '', onboarding = '', platform = ''] = page.split(/^## (?:Both programs|Onboarding|Platform)$/m)

const levels = (events: LogEvents) => Object.entries(events).map(([event, [level]]) => [`\`${event}\``, `\`${level}\``])

const documented = (section: string) => tableRows(section, /^`[\w.]+`$/).map(([event, level]) => [event, level])

const isShared = (event: string) => event in kitEvents || (event in onboardingEvents && event in platformEvents)

const ofOne = (events: LogEvents) => Object.fromEntries(Object.entries(events).filter(([event]) => !isShared(event)))

const ofBoth = Object.fromEntries(Object.entries(onboardingEvents).filter(([event]) => isShared(event)))

test.each([
  ['both programs', both, ofBoth],
  ['onboarding', onboarding, ofOne(onboardingEvents)],
  ['the platform', platform, ofOne(platformEvents)],
])('the events of %s are on the page, each with its level, and no others', (_, section, events) => {
  expect(documented(section).sort()).toEqual(levels(events).sort())
})

test('each event is written somewhere, and by nobody who does not have it in its table', () => {
  const textOf = (...programs: string[]) =>
    sourceFiles()
      .filter((file) => programs.some((program) => file.startsWith(program)) && !file.endsWith('log-events.ts'))
      .map(readSource)
      .join('\n')
  const unwritten = (events: LogEvents, ...programs: string[]) => {
    const text = textOf(...programs)
    return Object.keys(events).filter((event) => !text.includes(`'${event}'`))
  }

  expect(unwritten(onboardingEvents, 'onboarding/', 'kit/')).toEqual([])
  expect(unwritten(platformEvents, 'platform/', 'kit/')).toEqual([])
})

test('where both programs have an event, it has one level', () => {
  const differing = Object.entries(onboardingEvents).filter(
    ([event, [level]]) => event in platformEvents && (platformEvents as LogEvents)[event]?.[0] !== level,
  )

  expect(differing).toEqual([])
})
