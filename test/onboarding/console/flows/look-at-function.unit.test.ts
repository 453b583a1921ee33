import { beforeEach, expect, test } from 'vitest'
import { lookAtFunction } from '../../../../src/onboarding/console/flows/read-support.ts'
import type { Connection } from '../../../../src/onboarding/domain/connection.ts'
import type { ReadFunctionState } from '../../../../src/onboarding/domain/ports/support-ledger.ts'
import { breaks, isAway } from '../../../support/memory/doubles.ts'
import { type MemoryWorld, openMemoryWorld } from '../../../support/memory/world.ts'

let world: MemoryWorld & { functionState: ReadFunctionState }
let connection: Connection
beforeEach(async () => {
  world = { ...(await openMemoryWorld()), functionState: async () => ({ status: 'DEPLOYED', enabled: true }) }
  connection = await world.addConnection()
})

const look = () => lookAtFunction(world, connection.id)

test("shows the function's state on the platform and its tools", async () => {
  expect(await look()).toMatchObject({ state: { status: 'DEPLOYED', enabled: true }, tools: ['list_files'] })
})

test('a function that the platform does not know is missing', async () => {
  world.functionState = async () => undefined

  expect((await look()).state).toBe('missing')
})

test('shows one even if the other does not respond', async () => {
  world.platform.verifyFunction = isAway('function_failed')
  const silent = await look()
  world.functionState = breaks
  const both = await look()

  expect(silent).toMatchObject({ state: { status: 'DEPLOYED' }, tools: undefined })
  expect(both).toMatchObject({ state: undefined, tools: undefined })
})

test('an unknown connection has no function', async () => {
  await expect(lookAtFunction(world, 'con_0')).rejects.toMatchObject({ code: 'not_found' })
})
