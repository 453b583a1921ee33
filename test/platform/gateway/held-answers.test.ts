// What tools answered, while nobody reads it.
import { EventEmitter } from 'node:events'
import type { Response } from 'express'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest'
import { postgresMcpEvents } from '../../../src/platform/gateway/adapters/mcp-events.ts'
import { answered, type OpenMcp } from '../../../src/platform/gateway/domain/mcp.ts'
import { heldAnswers } from '../../../src/platform/gateway/http/streams/held-answers.ts'
import { type PlatformWorld, platformWorld } from '../../support/worlds/platform-world.ts'

const megabyte = 1024 * 1024
const exchange = { signal: new AbortController().signal }

/** Characters that JSON writes as six. */
const controls = '\u0001'.repeat(megabyte)

function serving(text: string) {
  const held = heldAnswers(60_000)
  const mcp = { call: async () => answered(text) } as unknown as OpenMcp
  return {
    /** Whether each of so many calls of one request got its answer. */
    async ask(workspace: string, calls: number) {
      const res = Object.assign(new EventEmitter(), { closed: false })
      const { call } = held.bounded(workspace, mcp, res as unknown as Response)
      const results = await Promise.all(Array.from({ length: calls }, () => call('read_file', {}, exchange)))
      return { res, answered: results.filter((result) => !result?.isError).length }
    },
  }
}

test('Y4: of a batch of large answers no more are held than a workspace may have unread', async () => {
  const { ask } = serving(controls)

  const batch = await ask('acme', 100)
  const more = await ask('acme', 1)
  const others = await ask('other', 1)
  batch.res.emit('close')
  const afterwards = await ask('acme', 1)

  expect([batch.answered, more.answered, others.answered, afterwards.answered]).toEqual([10, 0, 1, 1])
})

test('a batch of usual answers gets them all', async () => {
  expect((await serving('x'.repeat(50_000)).ask('acme', 100)).answered).toBe(100)
})

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }))
afterEach(() => void vi.useRealTimers())

test('Y4: what is kept for reading it again is bounded, and what has left the store makes room', () => {
  const { mayKeep } = heldAnswers(60_000)

  const taken = Array.from({ length: 300 }, () => mayKeep('acme', megabyte)).filter(Boolean)
  const other = mayKeep('other', megabyte)
  vi.advanceTimersByTime(60_000)

  expect([taken.length, other, mayKeep('acme', megabyte)]).toEqual([256, true, true])
})

let world: PlatformWorld
beforeAll(async () => {
  world = await platformWorld()
})
afterAll(() => world.close())

test('Y4: a long answer is read on in parts', async () => {
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
