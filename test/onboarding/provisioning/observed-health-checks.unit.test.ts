import { expect, test } from 'vitest'
import { createMetrics } from '../../../src/kit/process/metrics.ts'
import { noTracing } from '../../../src/kit/tracing/tracing.ts'
import { observedHealthChecks } from '../../../src/onboarding/adapters/observed/observed-health-checks.ts'
import { checkHealth } from '../../../src/onboarding/connections/flows/check-health.ts'
import { byKey, openMemoryWorld } from '../../support/memory/world.ts'
import { logRecorder } from '../../support/oracles/recorders.ts'

test('O40: logs when a connection breaks and when it recovers', async () => {
  const world = await openMemoryWorld({ integration: { health: { by: 'function', tool: 'list_files' } } })
  const { log, lines } = logRecorder()
  const reports = { log, metrics: createMetrics('test'), tracing: noTracing }
  const healthChecks = observedHealthChecks(world.healthChecks, reports, () => {})
  const { id } = await world.addConnection()
  const check = () =>
    checkHealth({ ...world, healthChecks }, world.settings, { connectionId: id, actor: byKey, reason: 'ticket' })
  const { tryTool } = world.platform

  world.platform.tryTool = async () => ({ failed: true, cause: 'grant_revoked' })
  await check()
  world.platform.tryTool = tryTool
  await check()
  await check()

  expect(lines.map((line) => JSON.parse(line).event)).toEqual([
    'connection.broken',
    'connection.recovered',
    'health.checked',
  ])
})
