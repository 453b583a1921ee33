// F15, pairs: the process that takes up what a killed one left behind is killed as well, at each of its own steps.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes({ inner: true })
}, 120_000)
afterAll(() => lanes.close())

/** What a process passes that finds the grant in escrow, or the connection made. */
const resumed = [
  'before.platform.function',
  'after.platform.function',
  'before.platform.verification',
  'after.platform.verification',
  'before.links.linked',
  'after.links.linked',
]

const pairs = [
  ...['after.links.escrowed', 'after.platform.connection', 'after.platform.function'].map((at) => ({
    at,
    agains: resumed,
  })),
  // The function is on record by then, and is not asked for again.
  { at: 'before.links.linked', agains: resumed.slice(2) },
].flatMap(({ at, agains }) => agains.map((again) => ({ at, again })))

test.concurrent.each(pairs)(
  'killed at $at and again at $again, the link still ends linked, and nothing is there twice',
  async (pair) => {
    const link = await lanes.crash(pair)

    expect(link?.state).toBe('linked')
  },
  240_000,
)

test.concurrent('killed before the code was sent and again after, the link says that nobody knows what was granted', async () => {
  const link = await lanes.crash({ at: 'after.links.code_waiting', again: 'before.provider.exchange' })

  expect(link?.state).toBe('exchange_unknown')
}, 240_000)
