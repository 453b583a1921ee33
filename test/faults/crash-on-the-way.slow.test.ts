// F15: a crash between every two effects of a successful link.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type CrashLanes, openCrashLanes } from '../support/processes/crash-lane.ts'

let lanes: CrashLanes

beforeAll(async () => {
  lanes = await openCrashLanes({ inner: true })
}, 120_000)
afterAll(() => lanes.close())

const linked = [
  'before.pending.put',
  'before.links.open',
  'before.pending.claim',
  'before.links.code_waiting',
  'before.links.exchanging',
  'before.platform.createConnection',
  'before.platform.createFunction',
  'before.links.function_ready',
  'before.platform.verifyFunction',
  'before.links.linked',
  'after.links.linked',
]

test.concurrent.each(linked)(
  'the link ends linked, without duplicates, after a crash at %s',
  async (at) => {
    const link = await lanes.crash({ at })

    expect(link?.state).toBe('linked')
  },
  240_000,
)

/** The provider may have received the request, so the code is never sent again. */
const unknown = ['before.provider.exchange', 'before.provider.exchange.keep', 'before.links.escrowed']

test.concurrent.each(unknown)(
  'the link ends exchange_unknown after a crash at %s',
  async (at) => {
    const link = await lanes.crash({ at })

    expect(link?.state).toBe('exchange_unknown')
  },
  240_000,
)

test.concurrent('the user starts again after a crash at after.links.open', async () => {
  const link = await lanes.crash({ at: 'after.links.open' })

  // The browser never got its cookie, so the first link waits until it expires.
  expect(link).toMatchObject({ state: 'authorizing', due_at: expect.any(Date) })
}, 240_000)

// Whether the ledger has the write that was under way is open.
test.concurrent.each([
  ['after.pending.put', 'authorizing'],
  ['after.pending.claim', 'exchange_unknown'],
])(
  'a crash at %s is like one before or after the write to the ledger',
  async (at, written) => {
    const link = await lanes.crash({ at })

    expect(['linked', written]).toContain(link?.state)
  },
  240_000,
)
