import { beforeEach, expect, test } from 'vitest'
import { DependencyError } from '../../../../src/onboarding/domain/dependency-error.ts'
import { partReport } from '../../../../src/onboarding/domain/platform-report.ts'
import { examinePlatform } from '../../../../src/onboarding/provisioning/flows/examine-platform.ts'
import { warnAtStart } from '../../../../src/onboarding/provisioning/flows/warn-at-start.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'
import { logRecorder } from '../../../support/oracles/recorders.ts'

let world: MemoryWorld
beforeEach(async () => {
  world = await openMemoryWorld()
})

const examine = () => examinePlatform(world)()
const answers = (answer: Partial<MemoryWorld['platformProbe']['answer']>) =>
  Object.assign(world.platformProbe.answer, answer)

test('O4: a platform that accepts our key and knows all integrations is ready', async () => {
  answers({ workspaces: ['acme'], integrations: ['files'] })

  expect(partReport(await examine())).toEqual({ ready: true, state: 'ready', warnings: [] })
})

test('O4: reports a rejected key, not an outage', async () => {
  const detail = '401: PLATFORM_API_KEY is not accepted'
  answers({ problem: new DependencyError('platform_misconfigured', { detail }) })

  expect(partReport(await examine())).toMatchObject({ ready: false, state: `misconfigured: ${detail}` })
})

test('O2: reports an integration that the platform does not know, with advice', async () => {
  answers({ integrations: ['mail'] })

  const { warnings } = partReport(await examine())

  expect(warnings).toEqual([
    'The platform does not know the integration files: give it the same INTEGRATIONS_FILE, and restart it after a change of that file.',
  ])
})

test('O4: counts missing workspaces without naming them', async () => {
  answers({ workspaces: ['elsewhere'] })

  const report = await examine()

  expect(report.unknownWorkspaces).toEqual(['acme'])
  expect(partReport(report).warnings).toEqual(['The platform does not have the workspace of one tenant.'])
})

test('does not warn if the platform has no lists', async () => {
  expect(partReport(await examine()).warnings).toEqual([])
})

test('caches the state of the platform', async () => {
  let asked = 0
  const { look } = world.platformProbe
  world.platformProbe.look = () => {
    asked += 1
    return look()
  }
  const examineOften = examinePlatform(world)

  await Promise.all([examineOften(), examineOften()])
  await examineOften()

  expect(asked).toBe(1)
})

test('an unavailable ledger does not affect the platform’s state', async () => {
  answers({ workspaces: [] })
  world.tenants.list = () => Promise.reject(new Error('away'))

  expect(partReport(await examine())).toMatchObject({ ready: true, warnings: [] })
})

test('O1, O11: warns at start about each incomplete integration', async () => {
  const { log, lines } = logRecorder()
  answers({ workspaces: [], integrations: ['files'] })
  const [files] = world.integrations.configured()
  const endpoints = {
    authorization: 'https://crm.internal/a',
    token: 'https://crm.internal/t',
    jwks: 'https://crm.internal/j',
  }
  const inner = { ...files!, id: 'crm', issuer: 'https://crm.internal/', endpoints }

  await warnAtStart({
    log,
    integrations: [inner],
    mayCall: (address) => !address.includes('internal'),
    examinePlatform: examine,
    unawaitedCommits: async () => 'No commit waits for a standby.',
  })

  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      event: 'integration.address_blocked',
      integration: 'crm',
      host: 'crm.internal',
      detail: expect.stringContaining('EGRESS_ALLOW'),
    },
    { event: 'integration.grants_untested', integration: 'crm', detail: expect.stringContaining('health.tool') },
    { event: 'ledger.may_lose_commits', detail: 'No commit waits for a standby.' },
    { event: 'platform.incomplete', detail: 'The platform does not have the workspace of one tenant.' },
    { event: 'platform.incomplete', workspace: 'acme', detail: 'Not on the platform.' },
  ])
})
