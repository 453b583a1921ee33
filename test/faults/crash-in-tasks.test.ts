// F15: a crash at the points that only a disconnect and a rollback pass.
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answered, type Journey, linkPatiently, relinkPatiently } from '../support/http/patient-user.ts'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'
import { type Fleet, untilLink } from '../support/processes/onboarding-process.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes({ count: 2, reach: 'grant', inner: true })
}, 120_000)
afterAll(() => lanes.close())

/** Nobody else lives off the same consent. */
const anotherAccount = ({ provider }: Fleet) => provider.misbehave({ subject: randomUUID() })

type Row = Record<string, unknown>

/** Asks for it again until it is written down: the first try may be cut off by the death. Gives the connection. */
async function ask(fleet: Fleet, { minted }: Journey, what: string): Promise<string> {
  const { connection_id: id } = await untilLink(fleet, minted, ['linked'])
  await answered(what, async () => {
    await fleet.api('POST', `/connections/${id}/${what}`, { reason: 'any' }).catch(() => undefined)
    const { rows } = await fleet.sql.query('select id from connection_tasks where connection_id = $1', [id])
    return { status: rows.length > 0 ? 200 : 503 }
  })
  return id
}

/** Lets the victim die on the way, and reads what is in the ledger when everything has settled. */
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
  'after.tasks.open',
  'before.tasks.move',
  'after.tasks.move',
  'before.platform.function_removal',
  'after.platform.function_removal',
  'before.tasks.disconnected',
  'after.tasks.disconnected',
])(
  'killed at %s, a disconnect is carried on to its end',
  async (at) => {
    const disconnecting = async (fleet: Fleet) => {
      const journey = await linkPatiently(fleet)
      return { journey, id: await ask(fleet, journey, 'disconnect') }
    }

    const rows = await crash(at, disconnecting, 'select status from connections where id = $1')

    expect(rows).toEqual([{ status: 'disconnected' }])
  },
  240_000,
)

test.concurrent.each(['after.platform.replacement:2', 'before.tasks.rolled_back', 'after.tasks.rolled_back'])(
  'killed at %s, a rollback is carried on to its end',
  async (at) => {
    const rollingBack = async (fleet: Fleet) => {
      const journey = await relinkPatiently(fleet)
      return { journey, id: await ask(fleet, journey, 'rollback') }
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
  'killed at %s, a rollback to a grant that is dead changes nothing',
  async (at) => {
    const rollingBack = async (fleet: Fleet) => {
      const journey = await relinkPatiently(fleet)
      await untilLink(fleet, journey.minted, ['linked'])
      Object.assign(fleet.provider.issued.at(-2) ?? {}, { spent: true })
      return { journey, id: await ask(fleet, journey, 'rollback') }
    }

    const rows = await crash(at, rollingBack, 'select step, cause from connection_tasks where connection_id = $1')

    expect(rows).toEqual([{ step: 'failed', cause: 'grant_revoked' }])
  },
  240_000,
)
