import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { afterAll, afterEach, beforeEach, expect, test, vi } from 'vitest'
import { postgresMcpEvents } from '../../../src/platform/gateway/adapters/mcp-sessions.ts'
import { answered, type OpenMcp } from '../../../src/platform/gateway/domain/mcp.ts'
import type { Exchange } from '../../../src/platform/gateway/domain/vendor/vendor-mcp.ts'
import { heldAnswers } from '../../../src/platform/gateway/http/streams/held-answers.ts'
import { platformWorld } from '../../support/worlds/platform-world.ts'

const megabyte = 1024 * 1024
const exchange = { signal: new AbortController().signal }

/** JSON writes each of these characters as six. */
const controls = '\u0001'.repeat(megabyte)

function serving(text: string) {
  const held = heldAnswers(60_000)
  let made = 0
  const mcp = {
    call: async () => {
      made++
      return answered(text)
    },
  } as unknown as OpenMcp
  const ask = async (workspace: string, calls: number) => {
    const res = Object.assign(new EventEmitter(), { closed: false })
    const { call } = held.bounded(workspace, mcp, res as unknown as Response)
    const results = await Promise.all(Array.from({ length: calls }, () => call('read_file', {}, exchange)))
    return { res, answered: results.filter((result) => !result?.isError).length, results }
  }
  return {
    /** Number of answered calls in one request. */
    ask,
    made: () => made,
    /** Number of answered requests with one call each. */
    async askEach(workspace: string, requests: number) {
      const asked = await Promise.all(Array.from({ length: requests }, () => ask(workspace, 1)))
      return { asked, answered: asked.filter(({ answered }) => answered > 0).length }
    },
  }
}

test('Y4: limits the unread large results of a workspace', async () => {
  const { askEach } = serving(controls)

  const first = await askEach('acme', 100)
  const more = await askEach('acme', 1)
  const others = await askEach('other', 1)
  for (const { res } of first.asked) res.emit('close')
  const afterwards = await askEach('acme', 1)

  expect([first.answered, more.answered, others.answered, afterwards.answered]).toEqual([10, 0, 1, 1])
})

test('Y4: limits the large results of a batch to the size of one request', async () => {
  const { ask, made } = serving('x'.repeat(3 * megabyte))

  const batch = await ask('acme', 100)
  const madeForBatch = made()
  const more = await ask('acme', 2)

  expect([batch.answered, more.answered]).toEqual([2, 2])
  // Only those in progress when the limit was reached.
  expect(madeForBatch).toBe(8)
  expect(JSON.stringify(batch.results.at(-1))).toContain('Make fewer calls in one request.')
})

test('Y9: a batch runs at most eight calls at a time, in order, whatever their outcome', async () => {
  const started: string[] = []
  const ends = new Map<string, (fails: boolean) => void>()
  const mcp = {
    call: (name: string) =>
      new Promise((resolve, reject) => {
        started.push(name)
        ends.set(name, (fails) => (fails ? reject(new Error('refused')) : resolve(answered('done'))))
      }),
  } as unknown as OpenMcp
  const res = Object.assign(new EventEmitter(), { closed: false }) as unknown as Response
  const { call } = heldAnswers(60_000).bounded('acme', mcp, res)

  const names = Array.from({ length: 11 }, (_, at) => `call-${at}`)
  const calls = Promise.allSettled(names.map((name) => call(name, {}, exchange)))
  expect(started).toEqual(names.slice(0, 8))
  ends.get('call-3')?.(true)
  await vi.waitFor(() => expect(started).toEqual(names.slice(0, 9)))
  ends.get('call-0')?.(false)
  await vi.waitFor(() => expect(started).toEqual(names.slice(0, 10)))
  ends.get('call-1')?.(false)
  await vi.waitFor(() => expect(started).toEqual(names))
  for (const end of ends.values()) end(false)

  expect((await calls).filter(({ status }) => status === 'rejected')).toHaveLength(1)
})

test('Y5: a request with empty results releases only its own bytes', async () => {
  const texts = ['', '', '', controls]
  const held = heldAnswers(60_000)
  const mcp = { call: async () => answered(texts.shift() ?? controls) } as unknown as OpenMcp
  const request = () => {
    const res = Object.assign(new EventEmitter(), { closed: false })
    return { res, ...held.bounded('acme', mcp, res as unknown as Response) }
  }
  const first = request()
  for (let calls = 0; calls < 4; calls++) await first.call('read_file', {}, exchange)
  const answeredTo = async () => {
    let count = 0
    while (!(await request().call('read_file', {}, exchange))?.isError) count++
    return count
  }

  const before = await answeredTo()
  first.res.emit('close')
  const afterwards = await answeredTo()

  expect([before, afterwards]).toEqual([9, 1])
})

test("Y7: counts vendors' results by size, including those of other methods", async () => {
  const held = heldAnswers(60_000)
  const large = { contents: [{ uri: 'file:///a', text: 'x'.repeat(4 * megabyte) }] }
  const mcp = {
    call: async () => ({ forwarded: large, isError: false }),
    beyondTools: { capabilities: ['resources'], instructions: undefined, ask: async () => large },
  } as unknown as OpenMcp
  const res = Object.assign(new EventEmitter(), { closed: false }) as unknown as Response
  const { call, beyondTools } = held.bounded('acme', mcp, res)

  let answers = 0
  while (!(await call('read_page', {}, exchange))?.isError) answers++
  const read = beyondTools?.ask('resources/read', { uri: 'file:///a' }, exchange)

  await expect(read).rejects.toThrow('Make fewer calls in one request.')
  expect(answers).toBe(1)
})

test('Y7: counts long field names like long texts', async () => {
  const large = { ['x'.repeat(4 * megabyte)]: 1 }
  const mcp = { call: async () => ({ forwarded: large, isError: false }) } as unknown as OpenMcp
  const res = Object.assign(new EventEmitter(), { closed: false }) as unknown as Response
  const { call } = heldAnswers(60_000).bounded('acme', mcp, res)

  let answers = 0
  while (answers < 100 && !(await call('read_page', {}, exchange))?.isError) answers++

  expect(answers).toBe(1)
})

test('a batch of normal results gets all of them', async () => {
  expect((await serving('x'.repeat(50_000)).ask('acme', 100)).answered).toBe(100)
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('Y4: limits stored results, and expired ones make room', () => {
  const { keep } = heldAnswers(60_000)
  const store = (workspace: string) => {
    const written = keep(workspace, megabyte)
    written?.()
    return written !== undefined
  }

  const taken = Array.from({ length: 300 }, () => store('acme')).filter(Boolean)
  const other = store('other')
  vi.advanceTimersByTime(60_000)

  expect([taken.length, other, store('acme')]).toEqual([256, true, true])
})

test('Y6: limits results in memory that are not yet stored', () => {
  const { keep } = heldAnswers(60_000)
  const kept = Array.from({ length: 100 }, () => keep('acme', megabyte)).flatMap((written) => written ?? [])
  const other = keep('other', megabyte)

  kept[0]?.()

  expect([kept.length, other !== undefined]).toEqual([32, true])
  expect([keep('acme', megabyte) !== undefined, keep('acme', megabyte)]).toEqual([true, undefined])
})
const world = await platformWorld()
afterAll(() => world.close())

test('Y4: a long result is resumed in parts', async () => {
  vi.useRealTimers()
  const events = postgresMcpEvents(world.pool)
  const large = JSON.stringify('x'.repeat(200_000))
  for (let seq = 0; seq < 5; seq++) {
    await events.add('session', 'stream', { seq, message: large, last: seq === 4 })
  }

  const parts: number[][] = []
  for (let seq = 0, isOver = false; !isOver; seq = parts.at(-1)?.at(-1) ?? seq) {
    const missed = await events.after('session', 'stream', seq)
    parts.push(missed?.events.map((event) => event.seq) ?? [])
    isOver = missed?.isOver ?? true
  }

  expect(parts).toEqual([
    [1, 2],
    [3, 4],
  ])
  expect(await events.after('session', 'stream', 4)).toEqual({ events: [], isOver: true })
  expect(await events.after('session', 'other', 0)).toBeUndefined()
})

/** A server that sends log entries before each result. Returns how many were delivered. */
function telling(count: number, bytes: number) {
  let nowMs = 0
  const held = heldAnswers(60_000, () => nowMs)
  const mcp = {
    async call(_name: string, _args: object, { onLog }: Exchange) {
      for (let sent = 0; sent < count; sent++) onLog?.({ level: 'info', data: 'x'.repeat(bytes) })
      return answered('done')
    },
  } as unknown as OpenMcp
  const open = () => {
    const res = Object.assign(new EventEmitter(), { closed: false }) as unknown as Response
    const { call } = held.bounded('acme', mcp, res)
    return async () => {
      let came = 0
      const result = await call('read_file', {}, { ...exchange, onLog: () => came++ })
      return { came, isError: result?.isError }
    }
  }
  return { open, pass: (ms: number) => (nowMs += ms) }
}

test('Z54: a request gets a hundred notifications immediately, and more over time', async () => {
  const { open, pass } = telling(1_000, 1)
  const call = open()

  const first = await call()
  const second = await call()
  pass(1_000)
  const later = await call()
  const another = await open()()

  expect([first.came, second.came, later.came, another.came]).toEqual([100, 0, 20, 100])
})

test('Z54: large notifications leave room for the result', async () => {
  const { open } = telling(16, megabyte)

  expect(await open()()).toEqual({ came: 3, isError: false })
})
