// F15: crash points of disconnects and rollbacks.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Journey, linkPatiently, relinkPatiently, requestTask } from '../support/http/patient-user.ts'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'
import { type Fleet, untilLink } from '../support/processes/onboarding-process.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes({ count: 2, reach: 'grant', inner: true })
}, 120_000)
afterAll(() => lanes.close())

/** An account that no other connection uses. */
const anotherAccount = ({ provider }: Fleet) => provider.misbehave({ subject: randomUUID() })

type Row = Record<string, unknown>

/** Crashes the victim, waits until all work has settled, then reads the ledger. */
async function crash(at: string, travel: (fleet: Fleet) => Promise<{ journey: Journey; id: string }>, read: string) {
  let rows = async (): Promise<Row[]> => []
  await lanes.crash({
    at,
    arrange: anotherAccount,
    async travel(fleet) {
      const { journey, id } = await travel(fleet)
      rows = async () => (await fleet.sql.query(read, [id])).rows
      return journey
    },
  })
  return rows()
}

test.concurrent.each([
  'before.tasks.open',
  'before.tasks.move',
  'before.platform.deleteFunction',
  'before.tasks.finishDisconnect',
  'after.tasks.finishDisconnect',
])(
  'a disconnect is completed after a crash at %s',
  async (at) => {
    const disconnecting = async (fleet: Fleet) => {
      const journey = await linkPatiently(fleet)
      return { journey, id: await requestTask(fleet, journey, 'disconnect') }
    }

    const rows = await crash(at, disconnecting, 'select status from connections where id = $1')

    expect(rows).toEqual([{ status: 'disconnected' }])
  },
  240_000,
)

test.concurrent.each(['after.platform.replaceConnection:2', 'before.tasks.finishRollback'])(
  'a rollback is completed after a crash at %s',
  async (at) => {
    const rollingBack = async (fleet: Fleet) => {
      const journey = await relinkPatiently(fleet)
      return { journey, id: await requestTask(fleet, journey, 'rollback') }
    }

    const rows = await crash(
      at,
      rollingBack,
      'select slot from stored_grants where connection_id = $1 order by link_id',
    )

    expect(rows).toEqual([{ slot: 'current' }, { slot: 'previous' }])
  },
  240_000,
)

test.concurrent.each(['before.tasks.fail', 'after.tasks.fail'])(
  'a rollback to a revoked grant changes nothing after a crash at %s',
  async (at) => {
    const rollingBack = async (fleet: Fleet) => {
      const journey = await relinkPatiently(fleet)
      await untilLink(fleet, journey.minted, ['linked'])
      Object.assign(fleet.provider.issued.at(-2) ?? {}, { spent: true })
      return { journey, id: await requestTask(fleet, journey, 'rollback') }
    }

    const rows = await crash(at, rollingBack, 'select step, cause from connection_tasks where connection_id = $1')

    expect(rows).toEqual([{ step: 'failed', cause: 'grant_revoked' }])
  },
  240_000,
)
