import { afterAll, beforeAll, expect, test } from 'vitest'
import { integrationsLocals } from '../../../src/onboarding/console/http/locals/integrations.ts'
import { catalogue } from '../../../src/onboarding/integrations/catalogue.ts'
import { people } from '../../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../support/worlds/console-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld()
})
afterAll(() => world.close())

test('support sees what can be linked, and where its profile is from', async () => {
  const { status, text } = await world.open(await world.signIn(people.viewer), '/integrations')

  expect(status).toBe(200)
  expect(text).toContain('Described in the integrations file of this deployment.')
  expect(text).toContain('<a href="/catalogue">')
})

const configured = catalogue([])
  .items()
  .map((item) => ({ ...item, isConfigured: true }))

const noticeOf = (id: string, day: string) =>
  integrationsLocals(configured, new Date(`${day}T00:00:00Z`)).rows.find((row) => row.id === id)?.notice

test('a profile that one source alone describes says so', () => {
  expect(noticeOf('bynder', '2026-12-01')).toBe('Known from one source alone. Try a link before users do.')
})

test('a profile whose page was read too long ago says so', () => {
  expect(noticeOf('salesforce', '2026-12-01')).toBeUndefined()
  expect(noticeOf('salesforce', '2027-12-01')).toBe('The vendor’s page was read more than a year ago.')
})
