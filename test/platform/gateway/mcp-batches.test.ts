import { afterAll, expect, test } from 'vitest'
import type { OpenMcp, ToolResult } from '../../../src/platform/gateway/domain/mcp.ts'
import { meterRun } from '../../../src/platform/gateway/flows/meter-run.ts'
import type { UsageEvent } from '../../../src/platform/shared/domain/usage.ts'
import { waitFor } from '../../support/oracles/wait-for.ts'
import { functionWorld } from '../../support/worlds/function-world.ts'

const max = 60
const world = await functionWorld({ env: { RATE_KEY_PER_MINUTE: String(max) } })
afterAll(() => world.close())

const call = (id: number) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name: 'list_files', arguments: {} },
})

test('Y2: bills each call of a batch', async () => {
  const url = await world.listen()
  const metered = async () => (await world.platform.pool.query('select event_id from usage_events')).rows

  const answer = await world.post(url, [call(1), call(2), call(3)])
  await answer.text()

  const rows = await waitFor('they are billed', async () => {
    const all = await metered()
    return all.length >= 3 && all
  })
  expect(rows).toHaveLength(3)
})

/** A run of one gigabyte with its own clock and calls that end on demand. */
function run() {
  let second = 0
  const events: UsageEvent[] = []
  const ends = new Map<string, () => void>()
  const metered = {
    ...{ eventId: 'request', workspace: 'acme', resourceName: 'files', resourceUuid: '1', memoryMb: 1_024 },
    ...{ resourceType: 'mcp_server' as const, dimension: 'mcp_server_compute_runtime_gbs' as const },
  }
  const usage = { record: (event: UsageEvent) => void events.push(event) }
  const meter = meterRun({ usage, now: () => new Date(second * 1_000) }, metered)
  const call = (name: string) =>
    new Promise<ToolResult | undefined>((resolve) => ends.set(name, () => resolve(undefined)))
  const mcp = meter.billing({ call } as unknown as OpenMcp)
  return {
    at: (now: number) => {
      second = now
    },
    begin: (name: string) => mcp.call(name, {}, { signal: new AbortController().signal }),
    end: (name: string) => ends.get(name)?.(),
    answered: meter.end,
    billed: () => events.map(({ eventId, quantity }) => [eventId, quantity]),
  }
}

test('Y2: bills concurrent calls by the duration of each', async () => {
  const { at, begin, end, answered, billed } = run()

  at(1)
  const calls = [begin('long'), begin('short')]
  at(3)
  end('short')
  await calls[1]
  at(10)
  end('long')
  await calls[0]
  answered()

  expect(billed()).toEqual([
    ['request:2', 2],
    ['request', 10],
  ])
})

test('Y2: bills requests other than tool calls like calls', async () => {
  const billed: string[] = []
  const usage = { record: ({ eventId }: UsageEvent) => void billed.push(eventId) }
  const metered = { eventId: 'request', memoryMb: 1_024 } as Parameters<typeof meterRun>[1]
  const { billing, end } = meterRun({ usage, now: () => new Date() } as Parameters<typeof meterRun>[0], metered)
  const mcp = billing({ beyondTools: { ask: async () => ({}) } } as unknown as OpenMcp)

  await mcp.beyondTools?.ask('resources/read', {}, {} as never)
  await mcp.beyondTools?.ask('resources/read', {}, {} as never)
  end()

  expect(billed).toEqual(['request', 'request:2'])
})

test('Y3: bills a call until its end after its caller disconnected', async () => {
  const { at, begin, end, answered, billed } = run()

  const called = begin('long')
  at(1)
  answered()
  at(600)
  end('long')
  await called

  expect(billed()).toEqual([['request', 600]])
})

test('bills a request without calls by its own duration', () => {
  const { at, answered, billed } = run()

  at(2)
  answered()

  expect(billed()).toEqual([['request', 2]])
})

test('X13: a batch counts as one request per message', async () => {
  const url = await world.listen()
  const batch = Array.from({ length: 30 }, (_, at) => call(at))

  // The calls may fall into two minutes, so one more than both allow is sent.
  const statuses: number[] = []
  for (let at = 0; at <= (2 * max) / batch.length; at++) statuses.push((await world.post(url, batch)).status)

  expect(statuses[0]).toBe(200)
  expect(statuses).toContain(429)
})
