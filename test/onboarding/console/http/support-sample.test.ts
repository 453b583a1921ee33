import { afterAll, beforeAll, expect, test } from 'vitest'
import { people } from '../../../support/doubles/console-issuer.ts'
import { type ConsoleWorld, startConsoleWorld } from '../../../support/worlds/console-world.ts'

let world: ConsoleWorld

beforeAll(async () => {
  world = await startConsoleWorld({ env: { SAMPLE_DATA: 'shown' } })
})
afterAll(() => world.close())

test('console pages state that the ledger contains sample data', async () => {
  const page = await world.open(await world.signIn(people.admin), '/audit')

  expect(page.text).toContain('are sample data.')
})
