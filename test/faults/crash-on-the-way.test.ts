// F15: kill −9 just before and just after each thing the program does for a link that goes well.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes()
}, 120_000)
afterAll(() => lanes.close())

const linked = [
  'before.pending.put',
  'after.pending.put',
  'before.links.open',
  'before.pending.claim',
  'after.pending.claim',
  'before.links.code_waiting',
  'after.links.code_waiting',
  'before.links.exchanging',
  'after.provider.keep',
  'after.links.escrowed',
  'after.provider.exchange',
  'before.platform.connection',
  'after.platform.connection',
  'before.platform.function',
  'after.platform.function',
  'before.links.function_ready',
  'after.links.function_ready',
  'before.platform.verification',
  'after.platform.verification',
  'before.links.linked',
  'after.links.linked',
]

test.concurrent.each(linked)(
  'killed at %s, the link still ends linked, and nothing is there twice',
  async (at) => {
    const link = await lanes.crash({ at })

    expect(link?.state).toBe('linked')
  },
  240_000,
)

/** The request may be on its way, and nobody holds the answer: the code is never sent again. */
const unknown = ['after.links.exchanging', 'before.provider.exchange', 'before.provider.keep', 'before.links.escrowed']

test.concurrent.each(unknown)(
  'killed at %s, the link says that nobody knows what was granted',
  async (at) => {
    const link = await lanes.crash({ at })

    expect(link?.state).toBe('exchange_unknown')
  },
  240_000,
)

test.concurrent('killed at after.links.open, the user starts again, and what was begun waits for its end', async () => {
  const link = await lanes.crash({ at: 'after.links.open' })

  // The browser never got its cookie, so nobody can finish this link; it took no code.
  expect(link).toMatchObject({ state: 'authorizing', due_at: expect.any(Date) })
}, 240_000)
