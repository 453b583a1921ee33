// F15: a second crash of the process that resumes the link of a crashed one.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes({ inner: true })
}, 120_000)
afterAll(() => lanes.close())

/** Crash points of a process that resumes from escrow. */
const resumed = [
  'before.platform.createFunction',
  'before.platform.verifyFunction',
  'before.links.linked',
  'after.links.linked',
]

const pairs = [
  ...resumed.map((again) => ({ at: 'after.links.escrowed', again })),
  { at: 'after.platform.createConnection', again: 'before.platform.createFunction' },
  { at: 'after.platform.createFunction', again: 'before.platform.createFunction' },
  // The ledger already has the function, so it is not created again.
  { at: 'before.links.linked', again: 'before.platform.verifyFunction' },
]

test.concurrent.each(pairs)(
  'the link ends linked, without duplicates, after crashes at $at and $again',
  async (pair) => {
    const link = await lanes.crash(pair)

    expect(link?.state).toBe('linked')
  },
  240_000,
)

test.concurrent('the link ends exchange_unknown after crashes before and after the code was sent', async () => {
  const link = await lanes.crash({ at: 'after.links.code_waiting', again: 'before.provider.exchange' })

  expect(link?.state).toBe('exchange_unknown')
}, 240_000)

test.concurrent.each(['before.platform.findConnection', 'after.platform.findConnection'])(
  'the link ends exchange_unknown after a crash before the grant was stored, and one at %s',
  async (again) => {
    const link = await lanes.crash({ at: 'before.links.escrowed', again })

    expect(link?.state).toBe('exchange_unknown')
  },
  240_000,
)
