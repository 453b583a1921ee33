import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { StartError } from '../../../src/kit/process/start-error.ts'
import { runCommandLine } from '../../../src/onboarding/command-line.ts'
import { temporaryFolder } from '../../support/processes/stores.ts'
import { type OnboardingWorld, providerEntry, startOnboarding } from '../../support/worlds/onboarding-world.ts'

let world: OnboardingWorld

beforeAll(async () => {
  world = await startOnboarding()
})
afterAll(() => world?.close())

async function causeway(...words: string[]): Promise<Array<Record<string, unknown>>> {
  const printed: object[] = []
  const surroundings = { env: world.env, print: (value: object) => void printed.push(value), warn: () => {} }
  await runCommandLine(['integrations', ...words], surroundings)
  return JSON.parse(JSON.stringify(printed))
}

const refused = (...words: string[]) => causeway(...words).catch((error: StartError) => [error.lines].flat().join('\n'))

function fileOf(content: string): string {
  const file = join(temporaryFolder(), 'entry.json')
  writeFileSync(file, content)
  return file
}

const entryFile = (more: object = {}) => fileOf(JSON.stringify({ ...providerEntry(world.provider), ...more }))

test('an operator puts, reads, rolls back and removes settings, and a running process follows', async () => {
  const [saved] = await causeway('put', 'provider', entryFile({ displayName: 'One' }), '--reason', 'ticket 1')
  await causeway('put', 'provider', entryFile({ displayName: 'Two' }), '--if-version', '1')
  await world.world.followSettings()
  expect(world.world.integrations.find('provider')?.displayName).toBe('Two')

  const [rolledBack] = await causeway('rollback', 'provider', '1')
  const history = await causeway('history', 'provider')
  const [removed] = await causeway('remove', 'provider')

  expect(saved).toMatchObject({ integration: 'provider', source: 'api', version: 1, settings: { displayName: 'One' } })
  expect(saved?.settings).not.toHaveProperty('clientSecret')
  expect(rolledBack).toMatchObject({ version: 3, settings: { displayName: 'One' } })
  expect(history).toMatchObject([
    { version: 3, changedMembers: ['displayName'], restoredVersion: 1 },
    { version: 2, changedMembers: ['displayName'] },
    { version: 1, changedBy: { kind: 'operator' }, reason: 'ticket 1' },
  ])
  expect(removed).toEqual({ integration: 'provider', source: 'file', version: 4 })
  expect(await causeway('list')).toEqual([removed])
})

test('refuses a wrong version, an entry with a problem, a file that is no JSON, and unknown words', async () => {
  expect(await refused('put', 'provider', entryFile(), '--if-version', '99')).toMatch(/^The current version is \d+\.$/)
  expect(await refused('put', 'provider', entryFile({ colour: 'red' }))).toMatch(/colour/)
  expect(await refused('put', 'provider', fileOf('{'))).toMatch(/is not valid JSON/)
  expect(await refused('put', 'provider')).toMatch(/^usage: /)
  expect(await refused('forget', 'provider')).toMatch(/^usage: /)
})
