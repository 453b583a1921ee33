import { expect, test } from 'vitest'
import { exportGrants } from '../../../../src/onboarding/exports/flows/export-grants.ts'
import { byKey, openMemoryWorld } from '../../../support/memory/world.ts'

test.each([
  ['none', undefined],
  [undefined, 'rotates'],
  ['replaces', 'rotates'],
] as const)('omits a token that the platform may have replaced (rotation: %s)', async (rotation, leftOut) => {
  const world = await openMemoryWorld({ integration: { rotation } })
  await world.addConnection()

  const grants = await exportGrants(world, { actor: byKey, tenant: 'acme', keyThumbprint: 'thumbprint' })

  const told: unknown[] = []
  for await (const grant of grants) told.push(grant.leftOut)
  expect(told).toEqual([leftOut])
})
