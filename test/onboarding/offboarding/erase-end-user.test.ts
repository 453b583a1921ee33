// An erasure on real stores: what a process leaves behind when it dies, and what a sweep makes of it.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Erasures } from '../../../src/onboarding/domain/ports/erasures.ts'
import { type RelinkWorld, startRelinking } from '../../support/worlds/relink-world.ts'

type Call = 'move' | 'closeSessions' | 'finish'

/** Where the process dies next: before or after one of the calls that write an erasure down. */
let death: { at: 'before' | 'after'; call: Call } | undefined

let world: RelinkWorld
beforeAll(async () => {
  world = await startRelinking({ replace: ({ erasures }) => ({ erasures: mortal(erasures) }) })
})
afterAll(() => world.close())

function mortal(erasures: Erasures): Erasures {
  const dying =
    <A extends unknown[], R>(call: Call, act: (...given: A) => Promise<R>) =>
    async (...given: A): Promise<R> => {
      const dies = death?.call === call ? death.at : undefined
      if (dies) death = undefined
      if (dies === 'before') throw new Error('killed')
      const result = await act(...given)
      if (dies === 'after') throw new Error('killed')
      return result
    }
  return {
    ...erasures,
    move: dying('move', erasures.move),
    closeSessions: dying('closeSessions', erasures.closeSessions),
    finish: dying('finish', erasures.finish),
  }
}

const erase = (id: string) => world.api('POST', '/erasures', { tenantId: 'acme', endUser: { id } })
const read = async (id: string) => (await world.api('GET', `/erasures/${id}`)).body

/** As if the sweep came by. */
async function sweep(): Promise<void> {
  for (const table of ['erasures', 'connection_tasks'])
    await world.sql.query(`update ${table} set due_at = now() where due_at is not null`)
  await world.flows.resumeErasures()
  await world.flows.resumeTasks()
  await (await world.flows.deliverWebhooks()).done
}

async function untilErased(id: string) {
  for (let round = 0; round < 20; round++) {
    const erasure = await read(id)
    if (erasure.status === 'done') return erasure
    await sweep().catch(() => undefined)
  }
  throw new Error(`not erased: ${JSON.stringify(await read(id))}`)
}

const rowsOf = async (query: string, value: string) => (await world.sql.query(query, [value])).rows

describe('a process that dies in the middle', () => {
  const deaths = (['closeSessions', 'move', 'finish'] as const).flatMap((call) =>
    (['before', 'after'] as const).map((at) => ({ call, at })),
  )

  test.each(deaths)('$at $call leaves an erasure that the next sweep carries on', async ({ call, at }) => {
    const user = `mortal-${call}-${at}`
    const connection = await world.link({ endUser: { id: user } })
    death = { call, at }

    const { body } = await erase(user)
    for (let round = 0; round < 20 && death; round++) await sweep().catch(() => undefined)
    const done = await untilErased(body.id)

    expect(death).toBeUndefined()
    expect(done.receipt.grants).toMatchObject([{ connectionId: connection }])
    expect(await world.connection(connection)).toMatchObject({ status: 'disconnected', endUser: { id: body.id } })
    const told = `select 1 from outbox where event = 'end_user.erased' and payload ->> 'erasureId' = $1`
    expect(await rowsOf(told, body.id)).toHaveLength(1)
    const noted = `select 1 from audit where action = 'end_user.erased' and subject_id = $1`
    expect(await rowsOf(noted, body.id)).toHaveLength(1)
  })
})

test('a request that is sent again has the same erasure, by its key and without one', async () => {
  const body = { tenantId: 'acme', endUser: { id: 'repeated' } }
  const headers = { 'Idempotency-Key': 'erase-repeated' }
  const first = await world.api('POST', '/erasures', body, headers)
  const again = await world.api('POST', '/erasures', body, headers)
  const open = await world.api('POST', '/erasures', body)

  expect([first.status, again.status, open.status]).toEqual([202, 202, 202])
  expect([again.body.id, open.body.id]).toEqual([first.body.id, first.body.id])
  expect((await untilErased(first.body.id)).receipt.grants).toEqual([])
})
