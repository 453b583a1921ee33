import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FunctionWorld, functionWorld } from '../../support/worlds/function-world.ts'

const most = 60
let world: FunctionWorld
beforeAll(async () => {
  world = await functionWorld({ env: { RATE_KEY_PER_MINUTE: String(most) } })
})
afterAll(() => world.close())

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_files', arguments: {} },
})

test('X13: a batch counts as the requests that it has', async () => {
  const url = await world.listen()
  const batch = Array.from({ length: 30 }, (_, at) => call(at))

  // Two minutes may share them, and then there is one more than both have room for.
  const statuses: number[] = []
  for (let at = 0; at <= (2 * most) / batch.length; at++) statuses.push((await world.post(url, batch)).status)

  expect(statuses[0]).toBe(200)
  expect(statuses).toContain(429)
})
